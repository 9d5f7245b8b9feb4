// The port to figures about jobs for operators. Every answer is bounded, so that it costs the same with a million jobs.

import type { Job } from '../model/job.ts';

/** A due time in the future and the job's provider, which is undefined until the dispatcher has chosen one. */
export type DueJob = { readonly provider: string | undefined; readonly runAt: number };

export type JobFigures = {
  /** The next due times after `now`, ascending, at most `limit`. */
  nextDue(now: number, limit: number): Promise<readonly DueJob[]>;
  /** The number of dead letters, counted up to `most`. */
  deadLetters(most: number): Promise<number>;
  /** Jobs that run now, counted up to `most`. */
  running(most: number): Promise<number>;
  /**
   * Jobs of all organisations in a state: newest first, waiting jobs in the order of their due times. A page examines a
   * bounded number of jobs: it may have fewer rows than `limit` although `next`, the `before` of the next page, is defined.
   */
  list(page: {
    readonly state: Job['state'];
    readonly before?: string | undefined;
    readonly limit: number;
    /** The page ends with the first job by which its metadata have so many bytes; it has at least one job. */
    readonly maxBytes?: number;
  }): Promise<{ readonly jobs: readonly Job[]; readonly next: string | undefined }>;
  /** The dead letter of a job. */
  deadLetterOf(jobId: string): Promise<string | undefined>;
};
