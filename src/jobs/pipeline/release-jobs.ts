// Passes on the jobs of callers that are held on the store for one provider: in their fair order, and no faster than the
// provider's limit and its workers take them in the next seconds. What has been passed on is first in, first out, so
// whatever is not passed on yet is what fairness is made of. While the broker or the limit's counts are away it holds on.

import { type Clock, sleep } from '../../kernel/clock.ts';
import { readPointer } from '../model/job-pointer.ts';
import { isWaiting } from '../model/job-state.ts';
import type { Consumer, Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { createLineUp, type Place } from './line-up.ts';

export type ReleaseParts = {
  readonly store: Pick<JobStore, 'find'>;
  readonly held: Pick<JobQueue, 'consume'>;
  readonly broker: Pick<JobQueue, 'publish' | 'depth'>;
  readonly queue: string;
  /** Resolves when the provider's limit has room for this job, to whether it was taken; false when told to stop. */
  readonly waitForSlot: (signal: AbortSignal) => Promise<boolean>;
  /** How many may wait for the workers at once; absent where everything is let through. */
  readonly mostReady: number | undefined;
  readonly clock: Clock;
};

const AT_ONCE = 16;
const LOOK_EVERY_MS = 250;

export function startRelease(parts: ReleaseParts): Consumer {
  const closing = new AbortController();
  const lineUp = createLineUp();
  const roomFor = createRoom(parts, closing.signal);
  const consumer = parts.held.consume(parts.queue, { concurrency: AT_ONCE }, (delivery) => {
    const place = lineUp();
    return release(parts, delivery, { place, roomFor, closing: closing.signal }).finally(() =>
      place.leave(),
    );
  });
  return {
    close() {
      closing.abort();
      return consumer.close();
    },
  };
}

type Passage = {
  readonly place: Place;
  readonly roomFor: () => Promise<boolean>;
  readonly closing: AbortSignal;
};

async function release(
  parts: ReleaseParts,
  delivery: Delivery,
  { place, roomFor, closing }: Passage,
): Promise<DeliveryOutcome> {
  await place.turn;
  if (!(await isCurrent(parts, delivery))) return 'ack';
  const isReleased = (await roomFor()) && (await parts.waitForSlot(closing));
  if (!isReleased) return { retryAfterMs: 0, isUncounted: true };
  const { id, body } = delivery;
  const published = parts.broker.publish(parts.queue, { id, body });
  place.leave();
  await published;
  return 'ack';
}

/** A job that was cancelled or has moved on needs no place among those who wait for the provider. */
async function isCurrent({ store }: ReleaseParts, { body }: Delivery): Promise<boolean> {
  const pointer = readPointer(body);
  // Not ours to judge: the worker makes a job of it, or a dead letter.
  if (!pointer) return true;
  const job = await store.find({ id: pointer.jobId });
  return job !== undefined && isWaiting(job.state) && job.fence === pointer.fence;
}

/** Resolves when few enough wait for the workers; false when told to stop first. The broker is asked now and then. */
function createRoom(
  { broker, queue, mostReady, clock }: ReleaseParts,
  closing: AbortSignal,
): () => Promise<boolean> {
  let freePlaces = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (mostReady === undefined) return !closing.aborted;
    while (!closing.aborted) {
      if (clock.monotonic() - lookedAt >= LOOK_EVERY_MS) {
        freePlaces = mostReady - (await broker.depth(queue)).ready;
        lookedAt = clock.monotonic();
      }
      if (freePlaces > 0) {
        freePlaces -= 1;
        return true;
      }
      await sleep(clock, LOOK_EVERY_MS, closing).catch(() => {});
    }
    return false;
  };
}
