// The port to a provider's own limit, as a worker meets it: what a run may take is taken before the job is claimed, so
// that a job over the limit costs no attempt and leaves no trace but a wait. What a permit is made of is not known here.

import type { Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';

/** Taken for one run, and handed to it. */
export type JobPermit = { readonly id: string };

export type PermitAnswer =
  /** Without a permit where nothing had to be taken, or where the run itself will be told why it never can be. */
  | { readonly kind: 'allowed'; readonly permit?: JobPermit | undefined }
  /** Over the limit; `afterMs` is this job's own moment, so that those who wait do not come back as a herd. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** It stays in hand: the wait is but a moment, or the counts cannot be asked and the provider is not to be overrun. */
  | { readonly kind: 'stay'; readonly afterMs: number };

export type PermitOptions = {
  /** It was held on to until this moment of its own, which has come; absent at its first time here. */
  readonly backAt: number | undefined;
  /** Whoever waits to be answered is then told to stay. */
  readonly closing?: AbortSignal | undefined;
};

export type JobPermits = {
  take(job: Job, message: JobMessage, options: PermitOptions): Promise<PermitAnswer>;
  /** Before the call: those who had to wait for the limit go apart from each other, though claiming held them all up. */
  keepDistance(job: Job, permit: JobPermit): Promise<void>;
  /** The job was not run after all. */
  giveBack(permit: JobPermit): void;
  /** A job was put back although the dispatcher should have held it: for measuring and for the log. */
  noteRequeued(job: Job): void;
};
