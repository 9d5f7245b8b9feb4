// The port to a job's events, attempts and result. The moves of job-store.ts write them; this port reads them and
// stores a running attempt's output as it grows.

import type { ErrorCode, ErrorParams } from '../../errors/codes.ts';
import type { JobResult } from '../model/job.ts';
import type { JobState } from '../model/job-state.ts';

export type JobEventType = JobState | 'submitted' | 'routed' | 'retried' | 'output';

/** Every field may be shown to the job's owner: none names a provider or a server or contains internal text. */
export type NewJobEvent = {
  readonly type: JobEventType;
  readonly data?: {
    readonly attempt?: number;
    readonly code?: ErrorCode;
    readonly until?: number;
    /** The attempt's output since the last `output` event. */
    readonly output?: string;
    /** A failure's parameters, and its sentence for the job's owner. */
    readonly params?: ErrorParams;
    readonly message?: string;
  };
};

export type JobEvent = NewJobEvent & {
  /** 1, 2, 3 … within the job, without gaps. */
  readonly sequence: number;
  readonly createdAt: number;
};

export type JobAttempt = {
  readonly run: number;
  readonly attempt: number;
  readonly outcome?: string | undefined;
  readonly errorCode?: ErrorCode | undefined;
  readonly costNanos?: number | undefined;
  readonly partialOutput?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly workerId?: string | undefined;
  readonly startedAt: number;
  readonly finishedAt?: number | undefined;
};

export type JobEventPage = {
  readonly after?: number;
  readonly limit: number;
  /** The page ends with the event that reaches this size; absent: its events have any size. */
  readonly maxBytes?: number;
};

export type JobHistory = {
  /** In the order of their sequence numbers, after `after`. */
  events(jobId: string, page: JobEventPage): Promise<readonly JobEvent[]>;
  attempts(jobId: string): Promise<readonly JobAttempt[]>;
  result(jobId: string): Promise<JobResult | undefined>;
  /** Stores an attempt's output so far; while the attempt runs, the new part becomes an `output` event. */
  savePartial(jobId: string, run: number, output: string, at: number): Promise<void>;
};
