// Determines which messages must have left a queue. RabbitMQ cannot report this for a message, but queues are first in,
// first out: every message that was published before a queue was seen empty or missing has left it, and so has every
// message older than one that was just delivered. The latest such timestamp is kept for each queue, in the memory of
// this process.

import type { Clock } from '../../../kernel/clock.ts';

/** Allows for clock differences, slow publishes and requeued messages, which are delivered out of order. */
const GRACE_MS = 15_000;
/**
 * Nothing is known about a queue that is never empty and is consumed by other processes. A message on it counts as
 * departed after this time: a duplicate an hour is cheap, and a lost message is published again eventually.
 */
const MAX_UNKNOWN_MS = 3_600_000;

export class DepartedMessages {
  readonly #clock: Clock;
  readonly #leftBefore = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Every message published before this timestamp has left the queue. */
  note(queue: string, before: number): void {
    this.#leftBefore.set(queue, Math.max(before, this.#leftBefore.get(queue) ?? 0));
  }

  /** Whether a message published at this time must have left. `isConsumed`: the queue has a consumer. */
  hasLeft(queue: string, publishedAt: number, isConsumed: boolean): boolean {
    const leftBefore = this.#leftBefore.get(queue) ?? 0;
    if (publishedAt < leftBefore - GRACE_MS) return true;
    return isConsumed && publishedAt < this.#clock.now() - MAX_UNKNOWN_MS;
  }
}
