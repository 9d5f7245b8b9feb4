// Jobs of other systems that this process has just stored, for its own workers: most of them come to one of these within
// milliseconds, which then need not read back what was written. It is only a sight of the job: claiming it goes by the
// fence, so one that has moved on since is refused by the store. Each is given once; a second copy of a message is looked
// up like any other. Small and bounded; what does not fit, and what was stored elsewhere, is read from the store.

import type { Job } from './job.ts';
import type { JobMessage } from './job-message.ts';
import type { JobPointer } from './job-pointer.ts';
import type { JobStore } from './job-store.ts';

export type KnownJob = { readonly job: Job; readonly message: JobMessage };

export type RecentJobs = {
  /** The same store, but what is created by it is remembered. */
  remembering<S extends Pick<JobStore, 'create'>>(store: S): S;
  /** Undefined where it is not known, or not at this fence. */
  take(pointer: JobPointer): KnownJob | undefined;
};

const MOST_KEPT = 1000;
const LARGEST_CHARACTERS = 16_384;
const LEFT_OVER_MS = 10_000;

export function createRecentJobs(mostKept: number = MOST_KEPT): RecentJobs {
  const known = new Map<string, KnownJob>();

  function remember(job: Job, message: JobMessage): void {
    if (job.origin !== 'queue' || job.state !== 'queued') return;
    if (JSON.stringify(message).length > LARGEST_CHARACTERS) return;
    if (known.size >= mostKept) forgetLeftOver(job.publishedAt);
    if (known.size < mostKept) known.set(job.id, { job, message });
  }

  /** Those before it on the queue are served before it, so they are kept; but one that others served never comes. */
  function forgetLeftOver(now: number): void {
    const [oldest] = known.values();
    if (oldest && oldest.job.publishedAt < now - LEFT_OVER_MS) known.delete(oldest.job.id);
  }

  return {
    remembering: (store) => ({
      ...store,
      async create(job, message, announce, events) {
        const created = await store.create(job, message, announce, events);
        if (created.isNew) remember(created.job, message);
        return created;
      },
    }),
    take({ jobId, fence }) {
      const found = known.get(jobId);
      known.delete(jobId);
      return found?.job.fence === fence ? found : undefined;
    },
  };
}
