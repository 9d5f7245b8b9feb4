// The schemas of timelines, requests and jobs.

import { z } from 'zod';
import { moment } from '../../http/schemas/admin.ts';
import { jobView } from '../../http/schemas/job.ts';
import { JOB_STATES } from '../../jobs/model/job-state.ts';
import type { RequestRow, Timeline } from '../api/requests.ts';

const text = z.string().nullable();

export const timeline: z.ZodType<Timeline> = z.object({
  startedAt: moment,
  endedAt: moment.nullable(),
  spans: z
    .array(
      z.object({
        kind: z.enum(['admission', 'wait', 'attempt', 'first-content', 'end']),
        label: z.string(),
        reason: text,
        startedAt: moment,
        endedAt: moment.nullable(),
        status: z.enum(['good', 'degraded', 'bad', 'unknown']),
        provider: text,
        model: text,
        code: text,
        costUsd: z.number().nullable(),
      }),
    )
    .readonly(),
  outcome: z.string(),
  costUsd: z.number().nullable(),
  inputTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
});

export const requestRow: z.ZodType<RequestRow> = z.object({
  id: z.string(),
  at: moment,
  organizationId: z.string(),
  keyId: z.string(),
  userId: text,
  provider: z.string(),
  model: z.string(),
  code: z.string().describe('`OK`, or the error code of the last attempt'),
  attempts: z.int(),
  latencyMs: z.number(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  costUsd: z.number(),
  isStreamed: z.boolean(),
  isEstimated: z.boolean(),
});

export const jobDetails = jobView.extend({
  jobId: z.string(),
  organizationId: z.string(),
  status: z.enum(JOB_STATES),
  queue: z.string(),
  assignedProvider: text,
  assignedModel: text,
  dueAt: moment.nullable(),
  events: z
    .array(
      z.object({
        sequence: z.int(),
        type: z.string(),
        createdAt: moment,
        code: text,
        until: moment.nullable(),
        message: z.string(),
      }),
    )
    .readonly(),
  runs: z
    .array(
      z.object({
        run: z.int(),
        attempt: z.int(),
        provider: text,
        model: text,
        workerId: text,
        outcome: z.string(),
        code: text,
        costUsd: z.number().nullable(),
        startedAt: moment,
        finishedAt: moment.nullable(),
      }),
    )
    .readonly(),
  timeline,
  deadLetterId: text,
});
