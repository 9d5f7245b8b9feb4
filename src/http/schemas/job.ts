// The JSON views of jobs for /openapi.json; jobs/model/job-view.ts builds them.

import { z } from 'zod';
import { ERROR_CODES } from '../../errors/codes.ts';
import { JOB_STATES } from '../../jobs/model/job-state.ts';
import { moment } from './admin.ts';

const links = z.object({ self: z.string(), events: z.string() });

const estimate = {
  position: z.int().optional().describe('Jobs ahead of it, and itself'),
  estimatedStartAt: moment.optional(),
  estimatedFinishAt: moment.optional(),
};

const jobError = z.looseObject({
  code: z.enum(ERROR_CODES),
  params: z.looseObject({}),
  message: z.string(),
  retryable: z.boolean(),
});

const attempt = z.looseObject({
  attempt: z.int(),
  outcome: z.string(),
  code: z.enum(ERROR_CODES).optional(),
  partialOutput: z.string().optional(),
  startedAt: moment,
  finishedAt: moment.optional(),
});

/** The response to a submission. */
export const receiptView = z.looseObject({
  id: z.string(),
  status: z.enum(JOB_STATES),
  ...estimate,
  links,
});

export const jobView = z.looseObject({
  id: z.string(),
  status: z.enum(JOB_STATES),
  attempts: z.int(),
  priority: z.int(),
  createdAt: moment,
  updatedAt: moment,
  startedAt: moment.optional(),
  finishedAt: moment.optional(),
  deadline: z.number().optional(),
  ...estimate,
  provider: z
    .string()
    .optional()
    .describe('Of a success, as are the model, the output and the cost'),
  model: z.string().optional(),
  output: z.string().optional().describe('The text of the answer'),
  response: z.unknown().optional().describe("The provider's response"),
  costUsd: z.number().optional(),
  error: jobError.optional(),
  waitingFor: jobError.optional().describe('Why the job waits'),
  partialOutput: z.string().optional(),
  metadata: z.looseObject({}).optional(),
  history: z.array(attempt).readonly().optional(),
  links,
});

export const jobEventView = z.looseObject({
  id: z.int(),
  type: z.string(),
  createdAt: moment,
});
