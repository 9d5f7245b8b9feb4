// A count of events in the last minute, to the second.

import type { Clock } from '../clock.ts';

export type MinuteCount = { add(): void; value(): number };

const SECONDS = 60;

/** A ring of one count per second. */
export function createMinuteCount(clock: Pick<Clock, 'monotonic'>): MinuteCount {
  const counts = Array.from({ length: SECONDS }, () => 0);
  let newest = secondNow();

  function secondNow(): number {
    return Math.floor(clock.monotonic() / 1000);
  }

  /** Clears the seconds that have passed since the last call. */
  function advance(): void {
    const second = secondNow();
    const passed = Math.min(second - newest, SECONDS);
    for (let step = 1; step <= passed; step += 1) counts[(newest + step) % SECONDS] = 0;
    newest = second;
  }

  return {
    add() {
      advance();
      counts[newest % SECONDS] = (counts[newest % SECONDS] ?? 0) + 1;
    },
    value() {
      advance();
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}
