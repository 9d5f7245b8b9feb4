// The port that deletes finished jobs and their results after their retention time. A job that was handed over counts
// as finished then: another system has processed it. A job that is still a dead letter is kept until an operator has
// decided on it.

export type JobRetention = {
  /** Deletes up to `limit` jobs that finished before then, with all their rows; returns the number of jobs. */
  pruneJobs(finishedBefore: number, limit: number): Promise<number>;
  /** Deletes the results alone; the jobs stay. */
  pruneResults(finishedBefore: number, limit: number): Promise<number>;
};
