// The port to a provider's own limit. A worker takes a permit before it claims a job, so that a job over the limit costs no
// attempt and only delays the job.

import type { PermitAsk } from '../../resilience/rate-limiter.ts';
import type { Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';

/** Taken for one run, and handed to it. */
export type JobPermit = {
  readonly ask: PermitAsk;
  /** Monotonic time of the request; the permit may count from then on. */
  readonly askedAtMs: number;
  readonly account: string;
  /** Awaited right before the call: it keeps the calls of jobs that waited for the limit one interval apart. */
  waitForTurn(signal: AbortSignal): Promise<void>;
};

export type PermitAnswer =
  /** Without a permit where no limit applies, or where the job exceeds a whole limit, which its call then reports. */
  | { readonly kind: 'allowed'; readonly permit?: JobPermit | undefined }
  /** Over the limit: the job's due time is `afterMs` from now. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** The job waits in memory and asks again: its slot opens soon, or the shared counts are unavailable. */
  | { readonly kind: 'stay'; readonly afterMs: number };

export type PermitOptions = {
  /** The due time that a job has waited for in memory; absent at its first request. */
  readonly dueAt: number | undefined;
  /** Once aborted, waiting requests are answered `stay`. */
  readonly closing?: AbortSignal | undefined;
};

export type JobPermits = {
  take(job: Job, message: JobMessage, options: PermitOptions): Promise<PermitAnswer>;
  /** Returns the permit of a job that was not run. */
  giveBack(permit: JobPermit): void;
  /** Counts and logs a job that was requeued although the dispatcher should have delayed it. */
  noteRequeued(job: Job): void;
};
