// The bodies of /api/chat.

import { z } from 'zod';
import { DECIDED_BY } from '../../orchestrator/decision.ts';

const MAX_MESSAGE_CHARACTERS = 32_000;
const MAX_CONTEXT_CHARACTERS = 256_000;
const MAX_TURNS = 100;

/** A message that has only spaces asks for nothing. */
const spoken = z.string().regex(/\S/);

const turn = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: spoken.max(MAX_CONTEXT_CHARACTERS),
});

export const chatBody = z.strictObject({
  message: spoken.max(MAX_MESSAGE_CHARACTERS),
  context: z
    .union([
      z.string().max(MAX_CONTEXT_CHARACTERS),
      z.array(turn).max(MAX_TURNS),
      z.record(z.string(), z.unknown()),
    ])
    .refine((context) => JSON.stringify(context).length <= MAX_CONTEXT_CHARACTERS)
    .nullish()
    .describe('Earlier turns of the conversation, or facts as text or JSON'),
  background: z.boolean().nullish().describe('Run as a job'),
});

export const chatAnswer = z.looseObject({
  success: z.literal(true),
  result: z.looseObject({
    category: z.string(),
    skills: z.array(z.string()).readonly(),
    decidedBy: z.enum(DECIDED_BY),
    reply: z.string().optional(),
    jobId: z.string().optional().describe('In place of a reply: the job at /v1/jobs/{id}'),
    usage: z.looseObject({
      inputTokens: z.int(),
      outputTokens: z.int(),
      cacheReadTokens: z.int(),
      cacheWriteTokens: z.int(),
      reasoningTokens: z.int(),
    }),
    costUsd: z.number(),
    requestId: z.string(),
  }),
});
