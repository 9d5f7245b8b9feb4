// The schemas of "Try it".

import { z } from 'zod';
import { LOCALES } from '../../errors/locale.ts';
import { plainName } from '../../http/schemas/admin.ts';
import type { TryAnswer, TryOptions } from '../api/try-it.ts';

export const WIRE_FORMATS = ['messages', 'chat', 'responses', 'generate'] as const;
const MAX_PROMPT = 4000;

export const tryBody = z.strictObject({
  format: z.enum(WIRE_FORMATS),
  model: plainName,
  prompt: z
    .string()
    .min(1)
    .max(MAX_PROMPT)
    .refine((text) => text.isWellFormed()),
  stream: z.boolean().optional(),
  locales: z.array(z.enum(LOCALES)).min(1).max(LOCALES.length).optional(),
  scenario: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .optional()
    .describe('A preset of the simulator, active for this request alone'),
});

export const tryOptions: z.ZodType<TryOptions> = z.object({
  formats: z.array(z.enum(WIRE_FORMATS)).readonly(),
  models: z.array(z.string()).readonly(),
  locales: z.array(z.string()).readonly(),
  scenarios: z.array(z.object({ name: z.string(), description: z.string() })).readonly(),
});

export const tryAnswer: z.ZodType<TryAnswer> = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBodyCut: z.boolean(),
  text: z.string().nullable(),
  requestId: z.string(),
  durationMs: z.number(),
  firstByteMs: z.number().nullable(),
  code: z.string().nullable(),
  sentences: z
    .array(
      z.object({
        locale: z.string(),
        language: z.string(),
        direction: z.enum(['ltr', 'rtl']),
        text: z.string(),
      }),
    )
    .readonly(),
  steps: z
    .array(
      z.object({
        atMs: z.number(),
        status: z.enum(['good', 'degraded', 'bad', 'unknown']),
        text: z.string(),
      }),
    )
    .readonly(),
});
