// The publishes without a confirm yet. All have the same timeout, so they expire in order of arrival, and one timer for the
// oldest serves them all. An expired publish rejects, but counts until it is settled: on a frozen broker the driver keeps its
// bytes, and the bound on pending publishes limits that memory.

import type { Clock } from '../../../kernel/clock.ts';
import { timeoutError } from '../connection/time-limit.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import type { Route } from './route.ts';

export type PendingPublish = {
  readonly route: Route;
  readonly message: OutgoingMessage;
  /** On the monotonic clock. */
  readonly expiresAt: number;
  /** Settles the caller's promise. */
  readonly result: PromiseWithResolvers<void>;
};

export class PendingPublishes {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** Not expired, oldest first. */
  readonly #waiting = new Set<PendingPublish>();
  #unsettled = 0;
  #hasTimer = false;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Expired publishes included, until they are settled. */
  get size(): number {
    return this.#unsettled;
  }

  add(route: Route, message: OutgoingMessage): PendingPublish {
    const expiresAt = this.#clock.monotonic() + this.#timeoutMs;
    const pending = { route, message, expiresAt, result: Promise.withResolvers<void>() };
    this.#waiting.add(pending);
    this.#unsettled += 1;
    if (!this.#hasTimer) this.#startTimer(this.#timeoutMs);
    return pending;
  }

  leftMs({ expiresAt }: PendingPublish): number {
    return expiresAt - this.#clock.monotonic();
  }

  /** Each publish is settled once, by `confirm` or `fail`. */
  confirm(pending: PendingPublish): void {
    pending.result.resolve();
    this.#settle(pending);
  }

  fail(pending: PendingPublish, cause: unknown): void {
    pending.result.reject(cause);
    this.#settle(pending);
  }

  async drained(): Promise<void> {
    if (this.#unsettled === 0) return;
    this.#drained ??= Promise.withResolvers<void>();
    await this.#drained.promise;
  }

  #settle(pending: PendingPublish): void {
    this.#waiting.delete(pending);
    this.#unsettled -= 1;
    if (this.#unsettled > 0) return;
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  #startTimer(delayMs: number): void {
    this.#hasTimer = true;
    this.#clock.after(delayMs, () => this.#rejectExpired());
  }

  #rejectExpired(): void {
    this.#hasTimer = false;
    for (const pending of this.#waiting) {
      const leftMs = this.leftMs(pending);
      if (leftMs > 0) return this.#startTimer(leftMs);
      this.#waiting.delete(pending);
      pending.result.reject(timeoutError('confirm a message', this.#timeoutMs));
    }
  }
}
