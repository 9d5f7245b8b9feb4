// A job after a move. The store applies the same change to its row; a matching fence proves that the row was as the
// caller read it, so the result is known without reading it back.

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
    provider: changed(job.provider, change.provider),
    model: changed(job.model, change.model),
    waitCode: changed(job.waitCode, change.waitCode),
    error: changed(job.error, change.error),
    leaseOwner: changed(job.leaseOwner, change.leaseOwner),
    leaseUntil: changed(job.leaseUntil, change.leaseUntil),
    startedAt: changed(job.startedAt, change.startedAt),
    finishedAt: changed(job.finishedAt, change.finishedAt),
  };
}

/** Undefined leaves a field as it is; null clears it. */
function changed<T>(known: T | undefined, given: T | null | undefined): T | undefined {
  return given === undefined ? known : (given ?? undefined);
}
