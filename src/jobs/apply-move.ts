// The job that a move makes of a job. The store does the same to its row; because the fence says that the row was as the
// mover saw it, what comes out is known beforehand, and nobody has to read it back.

import type { Job } from './job.ts';
import type { JobMove } from './job-store.ts';

/** Undefined says nothing about a field; null says that it is empty now. */
export function applyMove(
  job: Job,
  { to, at, change }: Pick<JobMove, 'to' | 'at' | 'change'>,
): Job {
  const changed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(change))
    if (value !== undefined) changed[field] = value ?? undefined;
  const fence = job.fence + 1;
  return { ...job, ...changed, state: to, fence, publishedAt: at, updatedAt: at };
}
