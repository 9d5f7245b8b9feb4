// Brings the due time of delayed jobs forward when an operator has cleared the limit that they wait for. The job's new
// pointer has a higher fence, so that the delayed message with the old due time is outdated when it arrives. A crash between
// the move and its message leaves a due job without a message, which the sweeper publishes. Handed-over jobs stay as they
// are: their message may be with another system.

import type { Clock } from '../../kernel/clock.ts';
import type { Job } from '../model/job.ts';
import { delayed } from '../model/job-moves.ts';
import { delayMsOf, messageFor } from '../model/job-pointer.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';

export type AdvanceDelayedParts = {
  readonly store: Pick<JobStore, 'stalled' | 'move'>;
  readonly queue: Pick<JobQueue, 'publish'>;
  readonly clock: Clock;
};

/** Returns the number of jobs of the provider that are due soon now. */
export type AdvanceDelayed = (provider: string) => Promise<number>;

/** By then every server has dropped its copy of the limit: a job that comes earlier would be delayed again. */
const SOON_MS = 2000;
const PAGE_SIZE = 200;
const WAIT_CODE = 'AI_LIMIT_REACHED';

export function createAdvanceDelayed(parts: AdvanceDelayedParts): AdvanceDelayed {
  return async (provider) => {
    const until = parts.clock.now() + SOON_MS;
    let count = 0;
    let after: Pick<Job, 'runAt' | 'id'> = { runAt: until, id: '' };
    for (;;) {
      const query = { kind: 'due', before: Number.MAX_SAFE_INTEGER, limit: PAGE_SIZE } as const;
      const page = await parts.store.stalled({ ...query, after });
      const waiting = page.filter(
        (job) => job.state === 'delayed' && job.waitCode === WAIT_CODE && job.provider === provider,
      );
      const moved = await Promise.all(waiting.map((job) => advance(parts, job, until)));
      count += moved.filter(Boolean).length;
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) return count;
      after = last;
    }
  };
}

async function advance(parts: AdvanceDelayedParts, job: Job, until: number): Promise<boolean> {
  const { store, queue, clock } = parts;
  const wait = { until, code: WAIT_CODE, costsAttempt: false } as const;
  const moved = await store.move(delayed(job, wait, clock.now()));
  if (!moved) return false;
  await queue.publish(moved.queue, messageFor(moved), { delayMs: delayMsOf(moved, clock.now()) });
  return true;
}
