// The port to what happened to a job: its events, its attempts and what came out of it. Written by the moves of
// job-store.ts; here it is read, and a running attempt's output is kept as it grows.

import type { ErrorCode, ErrorParams } from '../../errors/codes.ts';
import type { JobResult } from '../model/job.ts';
import type { JobState } from '../model/job-state.ts';

export type JobEventType = JobState | 'submitted' | 'routed' | 'retried' | 'output';

/** Everything in it may be shown to the job's owner: no provider, no server, no internal text. */
export type NewJobEvent = {
  readonly type: JobEventType;
  readonly data?: {
    readonly attempt?: number;
    readonly code?: ErrorCode;
    readonly until?: number;
    /** What an attempt has put out since it was last told. */
    readonly output?: string;
    /** Of a failure: its parameters, and the sentence for the job's owner. */
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

export type JobHistory = {
  /** In their order, beginning after `after`. */
  events(
    jobId: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<readonly JobEvent[]>;
  attempts(jobId: string): Promise<readonly JobAttempt[]>;
  result(jobId: string): Promise<JobResult | undefined>;
  /** What an attempt has put out so far; while it runs, what is new of it becomes an event. */
  savePartial(jobId: string, run: number, output: string, at: number): Promise<void>;
};
