// The schema of a request's record for operators.

import { z } from 'zod';
import { moment } from './admin.ts';

const attemptView = z.object({
  id: z.string(),
  number: z.int(),
  startedAt: moment,
  endedAt: moment,
  firstContentMs: z
    .int()
    .optional()
    .describe("From the attempt's start to the first content of its stream"),
  provider: z.string().optional(),
  model: z.string().optional(),
  status: z.int().optional().describe("The provider's, where it answered at all"),
  code: z.string(),
  reason: z.string().describe('The internal reason'),
  raw: z
    .object({
      status: z.int().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.string().optional(),
    })
    .optional()
    .describe("The provider's response, up to 8 KiB, with secrets redacted"),
});

export const requestView = z.object({
  id: z.string(),
  correlationId: z.string().optional(),
  organizationId: z.string(),
  keyId: z.string().optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  attempts: z.array(attemptView).readonly(),
  reason: z.string().optional().describe('The internal reason, if no attempt was sent'),
  error: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The error in the response to the caller'),
  partial: z
    .object({
      text: z.string().describe('The begin of the stream, up to 8 KiB'),
      bytes: z.int().describe('All bytes that the caller got'),
    })
    .optional()
    .describe('The content that the caller had received when its stream was cut'),
});
