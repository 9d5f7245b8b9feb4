// The port to the code that makes a job's call: limits, budget, provider, usage. It does not throw for a failed call; it
// returns the failure. When `signal` aborts (cancellation, deadline, lost lease, shutdown) it stops promptly, and a
// failure it then returns is ignored.

import type { Verdict } from '../../errors/codes.ts';
import type { Job, JobResult } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobPermit } from './job-permits.ts';

export type JobRun = {
  readonly job: Job;
  readonly message: JobMessage;
  /** Unique for each run, forever: usage records and reservations carry it. */
  readonly runId: string;
  /** The permit taken for this run; absent where none was needed. */
  readonly permit?: JobPermit | undefined;
  /** The images of the message as data URLs; absent where it names none by URL. */
  readonly images?: readonly string[] | undefined;
  /** Stores the output so far for the owner to read. Cheap to call often. */
  reportPartial(output: string): void;
};

export type RunOutcome =
  | { readonly kind: 'succeeded'; readonly result: JobResult }
  | {
      readonly kind: 'failed';
      readonly verdict: Verdict;
      /** Set if the job only has to wait: throttle, limit, open circuit. Costs no attempt. */
      readonly delayUntil?: number;
      /** Set if the job must not run again, whatever the failure was. */
      readonly isFinal?: boolean;
      /** The provider's own name of its error, for the log. */
      readonly providerErrorType?: string | undefined;
      /** For operators: stored in the dead letter, never shown to the owner. */
      readonly internalMessage?: string;
    };

/** A job that could not be prepared fails its run without a call. */
export type FailedRun = Extract<RunOutcome, { kind: 'failed' }>;

/** A bound is reached: the job returns to its queue. */
export type BusyPreparation = { readonly kind: 'busy'; readonly retryAfterMs: number };

/** The images of a job as data URLs, to be released after the run, or the failure to fetch them. */
export type Preparation =
  | { readonly kind: 'ready'; readonly images: readonly string[]; release(): void }
  | { readonly kind: 'failed'; readonly outcome: FailedRun };

/**
 * Fetches the images that a job names by URL; undefined for a job without them. `fetch` must be called, and runs outside
 * the worker's slot. An aborted `signal` ends it as `failed`.
 */
export type PrepareJob = (
  job: Job,
  message: JobMessage,
) =>
  | BusyPreparation
  | {
      readonly kind: 'admitted';
      fetch(signal: AbortSignal): Promise<Preparation | BusyPreparation>;
    }
  | undefined;

export type RunJob = (run: JobRun, signal: AbortSignal) => Promise<RunOutcome>;
