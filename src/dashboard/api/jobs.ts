// Jobs: GET /admin/dashboard/jobs (flow and queues), GET /admin/jobs (list), GET /admin/jobs/{id} (one job) and dead letters.

import type { Timeline } from './requests.ts';
import type { TimeSeries } from './time-series.ts';

export type JobStatus =
  | 'queued'
  | 'delayed'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'expired';

/** GET /admin/dashboard/jobs?range=… */
export type JobsPage = {
  readonly flow: JobFlow;
  /** The provider queues first, then the raw queue and the tenant queues' queue. */
  readonly queues: readonly QueueFigures[];
  readonly series: TimeSeries;
  readonly readAt: number;
};

/** The flow picture: in → waiting → delayed → running → out. Counts are current, rates cover the last five minutes. */
export type JobFlow = {
  readonly waiting: number;
  readonly delayed: number;
  readonly running: number;
  /** Number of dead letters; 1,000 means at least that many. */
  readonly deadLetters: number;
  readonly inPerMinute: number;
  readonly delayedPerMinute: number;
  readonly outPerMinute: number;
  readonly failedPerMinute: number;
};

export type QueueFigures = {
  readonly queue: string;
  /** The provider of its jobs; null for the raw queue and for callers' jobs that wait for release. */
  readonly provider: string | null;
  /** null: the queue cannot be read now. */
  readonly ready: number | null;
  readonly delayed: number | null;
  /** The number of jobs that workers run now. */
  readonly running: number | null;
  /** When the oldest ready message was published; null without one or where the broker does not report it. */
  readonly oldestAt: number | null;
  /** When the next delayed job is due; null without one. */
  readonly nextDueAt: number | null;
};

/** GET /admin/jobs?org&status&limit&cursor → PageOf<JobRow>, newest first. */
export type JobRow = {
  /** Spillway's id: the key of GET /admin/jobs/{jobId}. */
  readonly jobId: string;
  /** The owner's id, unique within its organisation. */
  readonly id: string;
  readonly organizationId: string;
  readonly status: JobStatus;
  readonly attempts: number;
  readonly priority: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly deadline?: number;
  readonly error?: JobError;
  /** Why it waits. */
  readonly waitingFor?: JobError;
  /** The queue of its current pointer. */
  readonly queue: string;
  /** The chosen provider and model; null before the dispatcher has chosen. */
  readonly assignedProvider: string | null;
  readonly assignedModel: string | null;
  /** Its due time, if it waits. */
  readonly dueAt: number | null;
};

export type JobError = {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly params: Readonly<Record<string, unknown>>;
};

/** GET /admin/jobs/{jobId}: the row plus its events, runs and timeline. Without prompt, result and partial output. */
export type JobDetails = JobRow & {
  readonly events: readonly JobEvent[];
  readonly runs: readonly JobRun[];
  readonly timeline: Timeline;
  /** The dead letter of a failed job; null without one. */
  readonly deadLetterId: string | null;
};

export type JobEvent = {
  readonly sequence: number;
  readonly type: string;
  readonly createdAt: number;
  readonly code: string | null;
  /** The due time, for a delay. */
  readonly until: number | null;
  /** A sentence: "waits for a free slot until 14:20:05". */
  readonly message: string;
};

export type JobRun = {
  readonly run: number;
  readonly attempt: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly workerId: string | null;
  /** `running`, `succeeded`, `failed`, `throttled`, `lost`, … */
  readonly outcome: string;
  readonly code: string | null;
  readonly costUsd: number | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
};

/**
 * GET /admin/dlq?limit&cursor → PageOf<DeadLetter>, oldest first. POST /admin/dlq/{id}/retry, POST /admin/dlq/retry-all,
 * DELETE /admin/dlq/{id}. `body` holds the producer's message with its prompt: the dashboard does not request or show it.
 * Ask for `?fields=summary` to leave `body` out.
 */
export type DeadLetter = {
  readonly id: string;
  readonly jobId?: string;
  readonly organizationId?: string;
  readonly queue: string;
  readonly errorCode: string;
  /** The reason, for operators. */
  readonly errorMessage: string;
  readonly attempts: number;
  readonly createdAt: number;
};
