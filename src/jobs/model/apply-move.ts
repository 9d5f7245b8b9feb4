// The job that a move makes of a job. The store does the same to its row; because the fence says that the row was as the
// mover saw it, what comes out is known beforehand, and nobody has to read it back.

import type { JobMove } from '../ports/job-store.ts';
import type { Job } from './job.ts';

export function applyMove(
  job: Job,
  { to, at, change }: Pick<JobMove, 'to' | 'at' | 'change'>,
): Job {
  return {
    ...job,
    state: to,
    fence: job.fence + 1,
    publishedAt: at,
    updatedAt: at,
    run: change.run ?? job.run,
    attempts: change.attempts ?? job.attempts,
    losses: change.losses ?? job.losses,
    queue: change.queue ?? job.queue,
    runAt: change.runAt ?? job.runAt,
    provider: kept(job.provider, change.provider),
    model: kept(job.model, change.model),
    waitCode: kept(job.waitCode, change.waitCode),
    error: kept(job.error, change.error),
    leaseOwner: kept(job.leaseOwner, change.leaseOwner),
    leaseUntil: kept(job.leaseUntil, change.leaseUntil),
    startedAt: kept(job.startedAt, change.startedAt),
    finishedAt: kept(job.finishedAt, change.finishedAt),
  };
}

/** Undefined says nothing about a field; null says that it is empty now. */
function kept<T>(known: T | undefined, given: T | null | undefined): T | undefined {
  return given === undefined ? known : (given ?? undefined);
}
