// The job that a move makes of a job. The store does the same to its row; here it is foreseen, for messages that
// have to be written together with the move, and for models in tests.

import type { Job } from './job.ts';
import type { JobChange, JobMove } from './job-store.ts';

export function applyMove(job: Job, move: JobMove): Job {
  return {
    ...job,
    ...present(move.change),
    state: move.to,
    fence: move.fence + 1,
    publishedAt: move.at,
    updatedAt: move.at,
  };
}

/** Undefined says nothing about a field; null says that it is empty now. */
function present(change: JobChange): Partial<Job> {
  return Object.fromEntries(
    Object.entries(change)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, value ?? undefined]),
  );
}
