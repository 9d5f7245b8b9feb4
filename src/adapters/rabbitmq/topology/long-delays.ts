// Delays beyond the broker's longest. The message stays in this process and is published to the delay ladder a few minutes
// before it is due, so that a delay of hours ends as punctually as a short one. The store has the job too and the sweeper
// publishes overdue ones, so a restart costs punctuality and nothing else.

import type { CancelTimer, Clock } from '../../../kernel/clock.ts';

export type LongDelaysOptions = {
  readonly clock: Clock;
  /** How long before its due time a message is published. */
  readonly leadMs: number;
  readonly maxKept?: number;
};

const MAX_KEPT = 10_000;

export class LongDelays {
  readonly #options: LongDelaysOptions;
  readonly #timers = new Set<CancelTimer>();

  constructor(options: LongDelaysOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#timers.size;
  }

  /** `publish` must not throw. Beyond the bound the message is left to the sweeper. */
  keep(dueAt: number, publish: () => void): void {
    const { clock, leadMs, maxKept = MAX_KEPT } = this.#options;
    if (this.#timers.size >= maxKept) return;
    const cancel = clock.after(dueAt - leadMs - clock.now(), () => {
      this.#timers.delete(cancel);
      publish();
    });
    this.#timers.add(cancel);
  }

  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
