// Orders to the trace callers and their replies: the messages of the IPC channel.

import { z } from 'zod';

const Intake = z.object({
  port: z.number().int(),
  headers: z.record(z.string(), z.string()),
  /** Where messages are published; without it jobs are submitted over HTTP. */
  broker: z.object({ url: z.string(), queue: z.string() }).optional(),
});

export const Replay = Intake.extend({
  /** The prefix of the jobs' ids. */
  run: z.string(),
  /** The factor by which the replay is faster than the trace. */
  speed: z.number().positive(),
  trace: z.array(
    z.object({ atMs: z.number(), contextTokens: z.number(), generatedTokens: z.number() }),
  ),
});

export const ReplayReport = z.object({
  /** When each request was due, in milliseconds of the machine's clock. */
  dueAts: z.array(z.number()),
  /** Timestamp of its 202; null without one. */
  acknowledgedAt: z.array(z.number().nullable()),
});

export type Intake = z.infer<typeof Intake>;
export type Replay = z.infer<typeof Replay>;
export type ReplayReport = z.infer<typeof ReplayReport>;
