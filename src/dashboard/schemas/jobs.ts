// The schema of the flow of jobs.

import { z } from 'zod';
import { moment } from '../../http/schemas/admin.ts';
import type { JobsPage, QueueFigures } from '../api/jobs.ts';
import { timeSeries } from './time-series.ts';

const count = z.int().nullable();

const queueFigures: z.ZodType<QueueFigures> = z.object({
  queue: z.string(),
  provider: z.string().nullable(),
  ready: count,
  delayed: count,
  running: count,
  oldestAt: moment.nullable(),
  nextDueAt: moment.nullable(),
});

export const jobsView: z.ZodType<JobsPage> = z.object({
  flow: z.object({
    waiting: z.int(),
    delayed: z.int(),
    running: z.int(),
    deadLetters: z.int(),
    inPerMinute: z.number(),
    delayedPerMinute: z.number(),
    outPerMinute: z.number(),
    failedPerMinute: z.number(),
  }),
  queues: z.array(queueFigures).readonly(),
  series: timeSeries,
  readAt: moment,
});
