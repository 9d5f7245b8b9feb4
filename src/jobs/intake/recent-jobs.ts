// Jobs of other systems that the dispatcher of this process has just stored. Its worker usually receives their pointers within
// milliseconds and takes them from memory instead of reading and parsing the stored row. Memory decides nothing: the claim of a job
// is guarded by its fence in the store. A job is given once, so a redelivered pointer is looked up in the store, as is every
// job beyond the bounds.

import { isHandedOver, type Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobPointer } from '../model/job-pointer.ts';
import type { JobStore, JobWithMessage } from '../ports/job-store.ts';

export type RecentJobs = {
  /** The same store; it remembers the jobs that it creates. */
  remembering(store: JobStore): JobStore;
  /** Undefined for a job that is not remembered under the pointer's fence. */
  take(pointer: JobPointer): JobWithMessage | undefined;
};

const MAX_JOBS = 5000;
const MAX_BODY_CHARACTERS = 16_384;
const MAX_TOTAL_CHARACTERS = 8 * 2 ** 20;
/** A job that no worker of this process has taken by then was probably taken by another process. */
const MAX_AGE_MS = 10_000;

export function createRecentJobs(maxJobs: number = MAX_JOBS): RecentJobs {
  const jobs = new Map<string, JobWithMessage>();
  let characters = 0;

  function remember(job: Job, message: JobMessage): void {
    if (job.state !== 'queued' || isHandedOver(job)) return;
    const size = sizeOf(message);
    if (size === 0 || size > MAX_BODY_CHARACTERS) return;
    if (isFull()) forgetOldest(job.publishedAt - MAX_AGE_MS);
    if (isFull()) return;
    jobs.set(job.id, { job, message });
    characters += size;
  }

  function isFull(): boolean {
    return jobs.size >= maxJobs || characters >= MAX_TOTAL_CHARACTERS;
  }

  /** One per stored job is enough: each new job needs one slot. */
  function forgetOldest(before: number): void {
    const [oldest] = jobs.values();
    if (oldest && oldest.job.publishedAt < before) forget(oldest);
  }

  function forget({ job, message }: JobWithMessage): void {
    jobs.delete(job.id);
    characters -= sizeOf(message);
  }

  return {
    remembering: (store) => ({
      ...store,
      async create(job, message, outbox, events) {
        const created = await store.create(job, message, outbox, events);
        if (created.isNew) remember(created.job, message);
        return created;
      },
    }),
    take({ jobId, fence }) {
      const recent = jobs.get(jobId);
      if (!recent) return undefined;
      forget(recent);
      return recent.job.fence === fence ? recent : undefined;
    },
  };
}

/** Jobs of callers have no source: they wait in the store, in the queues of their tenants. */
function sizeOf({ source }: JobMessage): number {
  return source?.body.length ?? 0;
}
