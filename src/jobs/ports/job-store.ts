// The port to where jobs are kept: the truth about them, of which queues carry only pointers. Every change is
// one move, made under the fence its maker saw, with all that belongs to it in one transaction: either the job
// is as it was, or everything happened. A store that is away rejects.

import type { ErrorCode } from '../../errors/codes.ts';
import type { Job, JobResult } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobState } from '../model/job-state.ts';
import type { DeadLetter } from './dead-letter-store.ts';
import type { NewJobEvent } from './job-history.ts';
import type { Announcement } from './job-queue.ts';

/** What a move may change; undefined leaves a field as it is, null empties it. */
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
  /** The fence the mover saw. The moved job has the next one. */
  readonly fence: number;
  /** The job as it is after this, if it was as its mover saw it. */
  readonly moved: Job;
  readonly to: JobState;
  readonly at: number;
  readonly change: JobChange;
  readonly events: readonly NewJobEvent[];
  readonly attemptStart?: AttemptStart;
  readonly attemptEnd?: AttemptEnd;
  readonly result?: JobResult;
  readonly deadLetter?: DeadLetter;
  readonly announce?: readonly Announcement[];
};

export type JobKey =
  | { readonly id: string }
  | { readonly organizationId: string; readonly publicId: string };

export type JobPage = {
  readonly organizationId?: string;
  readonly state?: JobState;
  readonly limit: number;
  /** Our id of the last job of the page before; newest first. */
  readonly before?: string;
};

/**
 * Jobs that nobody may be looking after: `unleased` are running under a lease that has ended, `overdue` wait
 * past their deadline, `due` wait although their moment came before `before`.
 */
export type NeglectedJobs = {
  readonly kind: 'unleased' | 'overdue' | 'due';
  readonly before: number;
  readonly limit: number;
  /** The last job of the page before, for `due`, which come in the order of their moments. */
  readonly after?: Pick<Job, 'runAt' | 'id'>;
};

export type JobStore = {
  /**
   * Creates the job, or finds the one its organisation already has under that public id. `events` are all that has
   * happened to it; unless they are told, only that it was submitted.
   */
  create(
    job: Job,
    message: JobMessage,
    announce?: readonly Announcement[],
    events?: readonly NewJobEvent[],
  ): Promise<{ readonly job: Job; readonly isNew: boolean }>;
  find(key: JobKey): Promise<Job | undefined>;
  /** What was asked for. */
  message(jobId: string): Promise<JobMessage | undefined>;
  list(page: JobPage): Promise<readonly Job[]>;
  /** The job after the move; undefined when it had moved on, and then nothing was done. */
  move(move: JobMove): Promise<Job | undefined>;
  /** Notes a sign of life without moving the job; false when it had moved on. */
  touch(
    jobId: string,
    fence: number,
    sign: { readonly leaseUntil: number } | { readonly publishedAt: number },
  ): Promise<boolean>;
  neglected(query: NeglectedJobs): Promise<readonly Job[]>;
};
