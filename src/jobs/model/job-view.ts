// A job as its owner sees it: an allow-list, field by field. A failure shows Spillway's code and sentence; only a success
// names its provider and model.

import type { Verdict } from '../../errors/codes.ts';
import {
  type AnswerContext,
  type PublicError,
  toPublicAnswer,
} from '../../errors/public-answer.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { JobAttempt, JobEvent } from '../ports/job-history.ts';
import type { Job, JobResult } from './job.ts';
import type { JobEstimate } from './job-estimate.ts';
import { isFinal } from './job-state.ts';

const NANOS_PER_USD = 1_000_000_000;

/** The language and time zone in which errors are rendered. */
export type JobReader = Pick<AnswerContext, 'locale' | 'timeZone' | 'now' | 'overrides'>;

export type JobDetails = JobEstimate & {
  readonly result?: JobResult | undefined;
  readonly history?: readonly JobAttempt[] | undefined;
};

/** The result of a finished job, the same in the API, in callbacks and on queues. */
export function toResultView(job: Job, result: JobResult | undefined, reader: JobReader) {
  return {
    id: job.publicId,
    AnalysisId: job.publicId,
    status: job.state,
    ...(result && {
      provider: result.provider,
      model: result.model,
      output: result.output,
      response: result.response,
      usage: result.usage,
      costUsd: result.costNanos / NANOS_PER_USD,
    }),
    ...(job.error && { error: publicError(job.error, job, reader, false) }),
    attempts: job.attempts,
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
    metadata: job.metadata,
  };
}

export type JobView = ReturnType<typeof toJobView>;

export function toJobView(job: Job, reader: JobReader, details: JobDetails = {}) {
  return {
    ...toResultView(job, details.result, reader),
    ...(isFinal(job.state) ? {} : estimateFields(job, reader, details)),
    ...(job.state === 'succeeded' ? {} : { partialOutput: latestOutput(details.history) }),
    priority: job.priority,
    deadline: job.deadlineAt,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    history: details.history?.map(attemptView),
    links: linksOf(job),
  };
}

/** The answer to a submission: the same whether the job is new or existed. */
export function toReceipt(job: Job, estimate: JobEstimate) {
  const { position, estimatedStartAt, estimatedFinishAt } = estimate;
  return {
    id: job.publicId,
    status: job.state,
    position,
    estimatedStartAt,
    estimatedFinishAt,
    links: linksOf(job),
  };
}

export function toEventView(event: JobEvent) {
  const { sequence, type, createdAt, data } = event;
  return { id: sequence, type, createdAt, ...data };
}

function estimateFields(job: Job, reader: JobReader, details: JobDetails) {
  const { position, estimatedStartAt, estimatedFinishAt } = details;
  const waiting: Verdict | undefined = job.waitCode && {
    code: job.waitCode,
    params: {},
    retryable: true,
    resetAt: job.runAt,
  };
  return {
    position,
    estimatedStartAt,
    estimatedFinishAt,
    ...(waiting && { waitingFor: publicError(waiting, job, reader, true) }),
  };
}

/** The output of the running attempt, or of the last one. */
function latestOutput(history: readonly JobAttempt[] = []): string | undefined {
  return history.at(-1)?.partialOutput;
}

function attemptView(attempt: JobAttempt) {
  const { attempt: number, outcome = 'running', errorCode: code, startedAt, finishedAt } = attempt;
  // A succeeded attempt's output is the job's `output`.
  const partialOutput = outcome === 'succeeded' ? undefined : attempt.partialOutput;
  return { attempt: number, outcome, code, partialOutput, startedAt, finishedAt };
}

function linksOf(job: Job) {
  const self = `/v1/jobs/${encodeURIComponent(job.publicId)}`;
  return { self, events: `${self}/events` };
}

function publicError(
  verdict: Verdict,
  job: Job,
  reader: JobReader,
  isBackground: boolean,
): PublicError {
  const error = SpillwayError.fromVerdict(verdict, 'a job failed');
  const requestId = job.requestId ?? job.id;
  return toPublicAnswer(error, { ...reader, requestId, isBackground }).error;
}
