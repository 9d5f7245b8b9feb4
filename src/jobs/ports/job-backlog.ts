// The port to the jobs that wait longer than they should, for alerts. Read only, and bounded however many jobs wait. While
// the store is unavailable every method rejects.

export type JobBacklog = {
  /** The due time of the job that has been due for the longest and still waits. */
  oldestDueAt(): Promise<number | undefined>;
  /** Delayed jobs that were due before, by queue. Counts stop at some thousands. */
  overdueDelayed(
    before: number,
  ): Promise<readonly { readonly queue: string; readonly count: number }[]>;
};
