// What can be known of messages that are not on a queue any more, without asking for each: RabbitMQ cannot be asked.
// Queues are first in, first out. So of a queue that was seen empty, or that was not there, everything that had
// been published before has left it; and so has everything older than a message that was just delivered. The
// latest such moment is kept for each queue. It is this process's knowledge and gone with it.

import type { Clock } from '../../../kernel/clock.ts';

/** Clocks differ, publishing takes its time, and what was given back is delivered out of order. */
const GRACE_MS = 15_000;
/**
 * On a queue that always holds something, and whose messages pass by other processes, nothing is known. There a
 * message counts as gone after this long: a duplicate an hour is cheap, and a loss is healed at last.
 */
const UNKNOWN_FOR_MS = 3_600_000;

export class LeftQueues {
  readonly #clock: Clock;
  readonly #leftBefore = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Everything that was published to it before this moment is not on it now. */
  note(queue: string, before: number): void {
    this.#leftBefore.set(queue, Math.max(before, this.#leftBefore.get(queue) ?? 0));
  }

  /** Whether a message that was published then must have left. `isServed`: somebody consumes the queue. */
  hasLeft(queue: string, publishedAt: number, isServed: boolean): boolean {
    const leftBefore = this.#leftBefore.get(queue) ?? 0;
    if (publishedAt < leftBefore - GRACE_MS) return true;
    return isServed && publishedAt < this.#clock.now() - UNKNOWN_FOR_MS;
  }
}
