// The publishes that wait for their confirm. All have the same time, so they end in the order they came in, and one timer
// that looks at the oldest serves them all. One whose time is up is told so and still counts until whoever works on it
// lets go: on a frozen broker the driver holds on to its bytes, and there must be no more of them than the bound.

import type { Clock } from '../../../kernel/clock.ts';
import { tooLate } from '../connection/time-limit.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import type { Route } from './route.ts';

export type WaitingPublish = {
  readonly route: Route;
  readonly message: OutgoingMessage;
  /** On the monotonic clock. */
  readonly endsAt: number;
  /** What its caller waits for. */
  readonly told: PromiseWithResolvers<void>;
};

export class WaitingPublishes {
  readonly #clock: Clock;
  readonly #limitMs: number;
  /** Those within their time, oldest first. */
  readonly #inTime = new Set<WaitingPublish>();
  #inHand = 0;
  #isWatching = false;
  #emptied: PromiseWithResolvers<void> | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Those that were given up on included. */
  get size(): number {
    return this.#inHand;
  }

  add(route: Route, message: OutgoingMessage): WaitingPublish {
    const endsAt = this.#clock.monotonic() + this.#limitMs;
    const waiting = { route, message, endsAt, told: Promise.withResolvers<void>() };
    this.#inTime.add(waiting);
    this.#inHand += 1;
    if (!this.#isWatching) this.#lookAfter(this.#limitMs);
    return waiting;
  }

  leftMs({ endsAt }: WaitingPublish): number {
    return endsAt - this.#clock.monotonic();
  }

  /** To be called once for each, like `fail`. */
  fulfil(waiting: WaitingPublish): void {
    waiting.told.resolve();
    this.#letGo(waiting);
  }

  fail(waiting: WaitingPublish, cause: unknown): void {
    waiting.told.reject(cause);
    this.#letGo(waiting);
  }

  async whenEmpty(): Promise<void> {
    if (this.#inHand === 0) return;
    this.#emptied ??= Promise.withResolvers<void>();
    await this.#emptied.promise;
  }

  #letGo(waiting: WaitingPublish): void {
    this.#inTime.delete(waiting);
    this.#inHand -= 1;
    if (this.#inHand > 0) return;
    this.#emptied?.resolve();
    this.#emptied = undefined;
  }

  #lookAfter(delayMs: number): void {
    this.#isWatching = true;
    this.#clock.after(delayMs, () => this.#giveUpOnLate());
  }

  #giveUpOnLate(): void {
    this.#isWatching = false;
    for (const waiting of this.#inTime) {
      const leftMs = this.leftMs(waiting);
      if (leftMs > 0) return this.#lookAfter(leftMs);
      this.#inTime.delete(waiting);
      waiting.told.reject(tooLate('confirm a message', this.#limitMs));
    }
  }
}
