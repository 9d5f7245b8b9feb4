// Orders to the load generator and its replies: the messages of the IPC channel.

import { z } from 'zod';

export const LoadPlan = z.object({
  port: z.number().int(),
  count: z.number().int().min(1).max(4_096),
  /** The whole request as it goes over the wire, head and body. */
  request: z.string(),
  /** Keys of equal length that take turns; `request` contains the first one. */
  keys: z.array(z.string()).optional(),
  /** The body length of a correct answer. A shorter answer would cost less to serve, so it counts as a failure. */
  expectedBytes: z.number().int(),
  /** After opening, one uncounted request is sent over each connection; this says how much of its answer to await. */
  sendOneUntil: z.enum(['first-byte', 'end']),
});

export const LoadRun = z.object({
  port: z.number().int(),
  seconds: z.number().positive(),
  /** The first requests are spread over this time, so that streams do not run in step. */
  spreadMs: z.number().min(0),
});

export const LoadReport = z.object({
  completed: z.number(),
  failed: z.number(),
  firstFailure: z.string().optional(),
  elapsedMs: z.number(),
  firstByteP50Ms: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
});

export type LoadPlan = z.infer<typeof LoadPlan>;
export type LoadRun = z.infer<typeof LoadRun>;
export type LoadReport = z.infer<typeof LoadReport>;
