// The lease of this server's probe. It is renewed while the call runs, so that the probe of a dead server is given to
// another one soon and the probe of a slow call is not. A failed renewal is repaired by the next one. Renewal stops after
// the longest duration of a call, in case the outcome is never reported.

import type { CancelTimer, Clock } from '../../../kernel/clock.ts';

export const DEFAULT_PROBE_LEASE_MS = 15_000;

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
