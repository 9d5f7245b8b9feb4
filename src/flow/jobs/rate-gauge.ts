// A gauge, per provider, of how often something happened in the last minute, to the second.

import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { createMinuteCount, type MinuteCount } from '../../kernel/telemetry/minute-count.ts';

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
