// A gauge, per provider, of how often something happened in the last minute, to the second.

import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';

export type MinuteCount = { add(): void; value(): number };

export function createRateGauge(
  metrics: Metrics,
  clock: Clock,
  { name, help }: { readonly name: string; readonly help: string },
): (provider: string) => MinuteCount {
  const gauge = metrics.gauge(name, help, ['provider']);
  const counts = new Map<string, MinuteCount>();
  metrics.onCollect(() => {
    for (const [provider, count] of counts) gauge.cell(provider).value = count.value();
  });
  return (provider) => {
    const known = counts.get(provider) ?? createMinuteCount(clock);
    counts.set(provider, known);
    return known;
  };
}

const SECONDS = 60;

/** A ring of one count per second. */
function createMinuteCount(clock: Pick<Clock, 'monotonic'>): MinuteCount {
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
