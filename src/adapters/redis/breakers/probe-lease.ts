// The lease of the probe that this server has been given: renewed while the call goes on, so that a server that died is
// found out soon and a long call is not. A renewal that fails is made good by the next; after the longest time a call
// can take nobody renews any more, in case its end is never told.

import type { CancelTimer, Clock } from '../../../kernel/clock.ts';

export type ProbeLeaseParts = {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly longestCallMs: number;
  readonly renew: (probe: string) => void;
};

export class ProbeLease {
  readonly #parts: ProbeLeaseParts;
  #cancel: CancelTimer | undefined;

  constructor(parts: ProbeLeaseParts) {
    this.#parts = parts;
  }

  begin(probe: string): void {
    const { clock, longestCallMs } = this.#parts;
    this.end();
    this.#renewLater(probe, clock.monotonic() + longestCallMs);
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #renewLater(probe: string, untilMs: number): void {
    const { clock, leaseMs, renew } = this.#parts;
    this.#cancel = clock.after(leaseMs / 3, () => {
      if (clock.monotonic() >= untilMs) return;
      renew(probe);
      this.#renewLater(probe, untilMs);
    });
  }
}
