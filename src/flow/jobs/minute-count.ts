// How many times something happened in the last minute, to the second. For gauges: nothing is decided by it.

import type { Clock } from '../../kernel/clock.ts';

const SECONDS = 60;

export type MinuteCount = { add(): void; value(): number };

export function createMinuteCount(clock: Pick<Clock, 'monotonic'>): MinuteCount {
  const counts = Array.from({ length: SECONDS }, () => 0);
  let newest = secondNow();

  function secondNow(): number {
    return Math.floor(clock.monotonic() / 1000);
  }

  /** Empties the seconds that have passed since. */
  function turn(): void {
    const second = secondNow();
    const passed = Math.min(second - newest, SECONDS);
    for (let step = 1; step <= passed; step += 1) counts[(newest + step) % SECONDS] = 0;
    newest = second;
  }

  return {
    add() {
      turn();
      counts[newest % SECONDS] = (counts[newest % SECONDS] ?? 0) + 1;
    },
    value() {
      turn();
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}
