// The port to whoever really makes a job's call: limits, budget, provider, usage. It never throws for a call
// that failed; it says what the failure means. It is told by the signal when the job was cancelled, has run out
// of time or was taken away, and then stops within a moment; its outcome is not used any more.

import type { Verdict } from '../../errors/codes.ts';
import type { Job, JobResult } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobPermit } from './job-permits.ts';

export type JobRun = {
  readonly job: Job;
  readonly message: JobMessage;
  /** Unique for each run for ever: usage records and holds are named after it. */
  readonly runId: string;
  /** What was taken of the provider's limit for this run; absent where nothing was. */
  readonly permit?: JobPermit | undefined;
  /** Keeps what was put out so far, for the owner to see. Cheap to call often. */
  reportPartial(output: string): void;
};

export type RunOutcome =
  | { readonly kind: 'succeeded'; readonly result: JobResult }
  | {
      readonly kind: 'failed';
      readonly verdict: Verdict;
      /** Set when it is only to wait: a throttle, a limit, an open circuit. Costs no attempt. */
      readonly delayUntil?: number;
      /** Set when it is not to be run again, whatever the failure was. */
      readonly isFinal?: boolean;
      /** For operators: goes into the dead letter, never to the owner. */
      readonly internalMessage?: string;
    };

export type RunJob = (run: JobRun, signal: AbortSignal) => Promise<RunOutcome>;
