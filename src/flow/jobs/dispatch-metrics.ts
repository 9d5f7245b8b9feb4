// What the dispatcher's limit leaves behind in numbers.

import type { Clock } from '../../kernel/clock.ts';
import { type Metrics, observe } from '../../kernel/metrics.ts';
import type { LineAnswer } from '../pacing/permit-line.ts';
import { createMinuteCount, type MinuteCount } from './minute-count.ts';

export type DispatchMetrics = {
  checked(provider: string, outcome: LineAnswer['kind']): void;
  delayed(provider: string, delayMs: number): void;
  /** How many messages wait for their moment on the way to this queue. */
  delayedDepth(queue: string, messages: number): void;
};

const DELAY_BOUNDS_MS = [100, 500, 1000, 5000, 15_000, 30_000, 60_000, 300_000, 900_000];

export function createDispatchMetrics(metrics: Metrics, clock: Clock): DispatchMetrics {
  const labels = ['provider'];
  const checked = metrics.counter(
    'dispatcher.ratelimit.checked',
    'Times the limit was asked.',
    labels,
  );
  const allowed = metrics.counter('dispatcher.ratelimit.allowed', 'Times there was room.', labels);
  const delayed = metrics.counter(
    'dispatcher.ratelimit.delayed',
    'Jobs that were put off.',
    labels,
  );
  const delayMs = metrics.histogram(
    'dispatcher.ratelimit.delay_ms',
    'Milliseconds that were to be waited.',
    DELAY_BOUNDS_MS,
    labels,
  );
  const depth = metrics.gauge(
    'dispatcher.queue.delayed.depth',
    'Messages that wait for their moment.',
    ['queue'],
  );
  const passed = rateGauge(metrics, clock, 'dispatcher.provider.rpm', 'Let through in a minute.');
  return {
    checked(provider, outcome) {
      checked.cell(provider).value += 1;
      if (outcome !== 'allowed') return;
      allowed.cell(provider).value += 1;
      passed(provider).add();
    },
    delayed(provider, waitMs) {
      delayed.cell(provider).value += 1;
      observe(delayMs, delayMs.cell(provider), waitMs);
    },
    delayedDepth(queue, messages) {
      depth.cell(queue).value = messages;
    },
  };
}

/** A gauge, per provider, of how often something happened in the last minute. */
export function rateGauge(
  metrics: Metrics,
  clock: Clock,
  name: string,
  help: string,
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
