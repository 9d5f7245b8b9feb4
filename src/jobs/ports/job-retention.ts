// The port to forgetting: finished jobs, and the results of jobs, that were kept for as long as they are to be. A job
// that is still a dead letter is kept: an operator has not decided on it yet.

export type JobRetention = {
  /** Forgets up to `limit` jobs that finished before then, with everything that belongs to them; how many it was. */
  forgetJobs(finishedBefore: number, limit: number): Promise<number>;
  /** The same for results alone; the jobs stay. */
  forgetResults(finishedBefore: number, limit: number): Promise<number>;
};
