// The error bodies of /openapi.json, one per wire format (errors/wire-shape.ts). The objects are open: a later version may
// add fields, and clients must ignore fields that they do not know.

import { z } from 'zod';
import { ERROR_CODES, SUGGESTED_ACTIONS } from '../../errors/codes.ts';
import type { WireFormat } from '../../errors/wire-shape.ts';

const code = z.enum(ERROR_CODES);

const advice = {
  suggestedActions: z.array(z.enum(SUGGESTED_ACTIONS)).optional(),
  retryAfter: z.int().min(0).optional().describe('Seconds'),
  queueAvailable: z.boolean().optional().describe('Whether the request can be sent as a job'),
};

const publicFields = {
  params: z.record(z.string(), z.unknown()).describe('Facts about the error, by code'),
  message: z.string().describe("A sentence in the caller's language"),
  retryable: z.boolean(),
  retryAfterMs: z.number().min(0).optional(),
  requestId: z.string(),
};

const errorAnswer = z
  .looseObject({
    error: z.looseObject({ code, spillway_code: code, ...publicFields }),
    ...advice,
  })
  .describe("An error in Spillway's own format");

const anthropicAnswer = z
  .looseObject({
    type: z.literal('error'),
    error: z.looseObject({
      type: z.string(),
      code,
      spillway_code: code,
      ...publicFields,
      ...advice,
    }),
    request_id: z.string(),
  })
  .describe("An error in Anthropic's format");

const openaiAnswer = z
  .looseObject({
    error: z.looseObject({
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
      spillway_code: code,
      ...publicFields,
      ...advice,
    }),
  })
  .describe("An error in OpenAI's format");

const geminiAnswer = z
  .looseObject({
    error: z.looseObject({
      code: z.int().describe('The HTTP status'),
      message: z.string(),
      status: z.string(),
      details: z.array(z.looseObject({})),
      spillway_code: code,
    }),
  })
  .describe("An error in Gemini's format");

export const ERROR_ANSWERS: Readonly<Record<WireFormat, z.ZodType>> = {
  spillway: errorAnswer,
  anthropic: anthropicAnswer,
  openai: openaiAnswer,
  gemini: geminiAnswer,
};
