// Waits too long for the broker. The store knows of them and the sweeper publishes what is overdue, so losing what is
// kept here costs punctuality and nothing else. It is kept so that, without a restart in between, a wait of hours
// ends as punctually as a short one: the message is handed to the broker a few minutes before its moment.

import type { CancelTimer, Clock } from '../../../kernel/clock.ts';

export type LongWaitsOptions = {
  readonly clock: Clock;
  /** How long before its moment a message is handed over. */
  readonly handOverMs: number;
  readonly mostKept?: number;
};

const MAX_KEPT = 10_000;

export class LongWaits {
  readonly #options: LongWaitsOptions;
  readonly #timers = new Set<CancelTimer>();

  constructor(options: LongWaitsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#timers.size;
  }

  /** `handOver` must not reject. Beyond the bound it is left to the sweeper. */
  keep(dueAt: number, handOver: () => void): void {
    const { clock, handOverMs, mostKept = MAX_KEPT } = this.#options;
    if (this.#timers.size >= mostKept) return;
    const cancel = clock.after(dueAt - handOverMs - clock.now(), () => {
      this.#timers.delete(cancel);
      handOver();
    });
    this.#timers.add(cancel);
  }

  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
