// Counts the runs in progress per provider, for the server's record.

import type { RunJob } from '../ports/job-runner.ts';

export type RunCounts = {
  /** The same runner, counted. */
  counting(runJob: RunJob): RunJob;
  of(provider: string): number;
};

export function createRunCounts(): RunCounts {
  const counts = new Map<string, number>();

  function add(provider: string | undefined, change: number): void {
    if (provider !== undefined) counts.set(provider, (counts.get(provider) ?? 0) + change);
  }

  return {
    counting: (runJob) => async (run, signal) => {
      const { provider } = run.job;
      add(provider, 1);
      try {
        return await runJob(run, signal);
      } finally {
        add(provider, -1);
      }
    },
    of: (provider) => counts.get(provider) ?? 0,
  };
}
