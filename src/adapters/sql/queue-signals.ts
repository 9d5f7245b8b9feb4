// Tells the consumers of a queue, within this process, that something was put on it. It is only a hint: whoever
// misses one finds the message by its timer.
//
// A consumer may also keep places for messages that are announced in this process: such a message is put on the queue
// as already its own, and handed to it after the commit, so that nobody has to look for it. Should that never come to
// pass, its lease ends, and it is anybody's.

import type { Delivery } from '../../jobs/job-queue.ts';

/** A place for one message. Exactly one of `take` and `leave` has to follow. */
export type ReservedPlace = {
  /** As whom the message is leased, and for how long from when it is announced. */
  readonly owner: string;
  readonly leaseMs: number;
  take(delivery: Delivery): void;
  leave(): void;
};

/** Undefined while there is no room. */
export type ReservePlace = () => ReservedPlace | undefined;

export type QueueSignals = {
  notify(queue: string): void;
  /** Returns what ends the listening. */
  listen(queue: string, fn: () => void): () => void;
  /** Returns what ends the offer. */
  offerPlaces(queue: string, reserve: ReservePlace): () => void;
  /** For a message that is about to be announced; undefined where nobody here keeps a place for it. */
  reservePlace(queue: string): ReservedPlace | undefined;
};

export function createQueueSignals(): QueueSignals {
  const listeners = new Map<string, Set<() => void>>();
  const offers = new Map<string, Set<ReservePlace>>();
  return {
    notify(queue) {
      for (const fn of listeners.get(queue) ?? []) fn();
    },
    listen: (queue, fn) => addTo(listeners, queue, fn),
    offerPlaces: (queue, reserve) => addTo(offers, queue, reserve),
    reservePlace(queue) {
      for (const reserve of offers.get(queue) ?? []) {
        const place = reserve();
        if (place) return place;
      }
      return undefined;
    },
  };
}

function addTo<T>(all: Map<string, Set<T>>, queue: string, one: T): () => void {
  const known = all.get(queue) ?? new Set<T>();
  all.set(queue, known.add(one));
  return () => void known.delete(one);
}
