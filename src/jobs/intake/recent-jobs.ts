// Jobs of other systems that this process has just stored, for its own workers: most of them come to one of these within
// milliseconds, which then need not read back what was written. It is only a sight of the job: claiming it goes by the
// fence, so one that has moved on since is refused by the store. Each is given once; a second copy of a message is looked
// up like any other. Bounded in number and in size; what does not fit, and what was stored elsewhere, is read from the store.

import type { Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import type { JobPointer } from '../model/job-pointer.ts';
import type { JobStore } from '../ports/job-store.ts';

export type KnownJob = { readonly job: Job; readonly message: JobMessage };

export type RecentJobs = {
  /** The same store, but what is created by it is remembered. */
  remembering<S extends Pick<JobStore, 'create'>>(store: S): S;
  /** Undefined where it is not known, or not at this fence. */
  take(pointer: JobPointer): KnownJob | undefined;
};

const MAX_KEPT = 5000;
const MAX_TOTAL_CHARACTERS = 2 ** 23;
const MAX_MESSAGE_CHARACTERS = 16_384;
const LEFT_OVER_MS = 10_000;

/** About as much as it takes; a plain prompt, which most are, is not written out for it. */
function charactersOf({ prompt = '', images = [], request, metadata }: JobMessage): number {
  let characters = prompt.length;
  for (const image of images) characters += image.length;
  if (request || metadata) characters += JSON.stringify([request, metadata]).length;
  return characters;
}

type KeptJob = KnownJob & { readonly characters: number };

export function createRecentJobs(mostKept: number = MAX_KEPT): RecentJobs {
  const known = new Map<string, KeptJob>();
  let characters = 0;

  function remember(job: Job, message: JobMessage): void {
    if (job.origin !== 'queue' || job.state !== 'queued') return;
    const size = charactersOf(message);
    if (size > MAX_MESSAGE_CHARACTERS) return;
    if (isFull()) forgetLeftOver(job.publishedAt);
    if (isFull()) return;
    known.set(job.id, { job, message, characters: size });
    characters += size;
  }

  function isFull(): boolean {
    return known.size >= mostKept || characters >= MAX_TOTAL_CHARACTERS;
  }

  /** Those before it on the queue are served before it, so they are kept; but one that others served never comes. */
  function forgetLeftOver(now: number): void {
    const [oldest] = known.values();
    if (oldest && oldest.job.publishedAt < now - LEFT_OVER_MS) forget(oldest.job.id);
  }

  function forget(jobId: string): KeptJob | undefined {
    const kept = known.get(jobId);
    if (!kept) return undefined;
    known.delete(jobId);
    characters -= kept.characters;
    return kept;
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
      const kept = forget(jobId);
      return kept?.job.fence === fence ? { job: kept.job, message: kept.message } : undefined;
    },
  };
}
