// The port to the stored jobs, which are authoritative: queues carry only pointers to them. Every change is one move,
// guarded by the fence that its caller has read, and commits with its events, attempt, result and outbox messages in
// one transaction or not at all. While the store is unavailable every method rejects.

import type { ErrorCode } from '../../errors/codes.ts';
import type { Job, JobResult } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobState } from '../model/job-state.ts';
import type { DeadLetter } from './dead-letter-store.ts';
import type { NewJobEvent } from './job-history.ts';
import type { OutboxMessage } from './job-queue.ts';

/** The fields a move may change; undefined leaves a field as it is, null clears it. */
export type JobChange = {
  readonly [Field in ChangeableField]?: Job[Field] | null;
};
type ChangeableField =
  | 'run'
  | 'attempts'
  | 'losses'
  | 'queue'
  | 'provider'
  | 'model'
  | 'waitCode'
  | 'error'
  | 'runAt'
  | 'leaseOwner'
  | 'leaseUntil'
  | 'startedAt'
  | 'finishedAt';

export type AttemptStart = {
  readonly run: number;
  readonly attempt: number;
  readonly workerId: string;
  readonly startedAt: number;
};

export type AttemptEnd = {
  readonly run: number;
  readonly outcome:
    | 'succeeded'
    | 'failed'
    | 'delayed'
    | 'cancelled'
    | 'expired'
    | 'lost'
    | 'returned';
  readonly errorCode?: ErrorCode | undefined;
  readonly costNanos?: number | undefined;
  readonly finishedAt: number;
};

export type JobMove = {
  readonly jobId: string;
  /** The fence that the caller read. The moved job has the next one. */
  readonly fence: number;
  /** The job after the move, provided the fence matches. */
  readonly moved: Job;
  readonly to: JobState;
  readonly at: number;
  readonly change: JobChange;
  readonly events: readonly NewJobEvent[];
  readonly attemptStart?: AttemptStart;
  readonly attemptEnd?: AttemptEnd;
  readonly result?: JobResult;
  readonly deadLetter?: DeadLetter;
  readonly outbox?: readonly OutboxMessage[];
};

/** A renewed lease, a repeated publication, or the take-over of a handed-over job, which ends its lease. */
export type JobTouch =
  | { readonly leaseUntil: number }
  | { readonly publishedAt: number }
  | { readonly takenOverTo: string; readonly publishedAt: number };

export type JobKey =
  | { readonly id: string }
  | { readonly organizationId: string; readonly publicId: string };

export type JobPage = {
  readonly organizationId?: string;
  readonly state?: JobState;
  readonly limit: number;
  /** Spillway's id of the last job of the previous page; newest first. */
  readonly before?: string;
  /** The page ends with the first job by which its metadata have so many bytes; it has at least one job. */
  readonly maxBytes?: number;
};

/**
 * Jobs that may make no progress without the sweeper: `unleased` jobs run under an expired lease, `overdue` jobs wait
 * past their deadline, `due` jobs still wait although they were due before `before`.
 */
export type StalledJobs = {
  readonly kind: 'unleased' | 'overdue' | 'due';
  readonly before: number;
  readonly limit: number;
  /** The last job of the previous page; `due` jobs are ordered by due time. */
  readonly after?: Pick<Job, 'runAt' | 'id'>;
};

export type JobWithMessage = { readonly job: Job; readonly message: JobMessage };

export type JobStore = {
  /**
   * Creates the job, or finds the one its organisation already has under that public id. `events` defaults to
   * `submitted` alone.
   */
  create(
    job: Job,
    message: JobMessage,
    outbox?: readonly OutboxMessage[],
    events?: readonly NewJobEvent[],
  ): Promise<{ readonly job: Job; readonly isNew: boolean }>;
  find(key: JobKey): Promise<Job | undefined>;
  /** The job and its submitted message in one read. */
  findWithMessage(jobId: string): Promise<JobWithMessage | undefined>;
  /** The submitted message. */
  message(jobId: string): Promise<JobMessage | undefined>;
  list(page: JobPage): Promise<readonly Job[]>;
  /** The job after the move; undefined if its fence has changed, and then nothing is written. */
  move(move: JobMove): Promise<Job | undefined>;
  /** Changes the job without a move; false if the fence has changed. */
  touch(jobId: string, fence: number, change: JobTouch): Promise<boolean>;
  stalled(query: StalledJobs): Promise<readonly Job[]>;
};
