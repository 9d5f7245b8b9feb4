// Metrics of the dispatcher's limit.

import type { Clock } from '../../kernel/clock.ts';
import { type Metrics, observe } from '../../kernel/metrics.ts';
import type { PacerAnswer } from '../pacing/pacer.ts';
import { createRateGauge } from './rate-gauge.ts';

export type DispatchMetrics = {
  checked(provider: string, outcome: PacerAnswer['kind']): void;
  delayed(provider: string, delayMs: number): void;
  /** Sets the number of delayed messages of a queue. */
  delayedDepth(queue: string, messages: number): void;
};

const DELAY_BOUNDS_MS = [100, 500, 1000, 5000, 15_000, 30_000, 60_000, 300_000, 900_000];

export function createDispatchMetrics(metrics: Metrics, clock: Clock): DispatchMetrics {
  const labels = ['provider'];
  const checked = metrics.counter('dispatcher.ratelimit.checked', 'Admission checks.', labels);
  const allowed = metrics.counter(
    'dispatcher.ratelimit.allowed',
    'Admission checks passed.',
    labels,
  );
  const delayed = metrics.counter('dispatcher.ratelimit.delayed', 'Messages delayed.', labels);
  const delayMs = metrics.histogram(
    'dispatcher.ratelimit.delay_ms',
    'Delay of delayed messages in milliseconds.',
    DELAY_BOUNDS_MS,
    labels,
    'ms',
  );
  const depth = metrics.gauge('dispatcher.queue.delayed.depth', 'Delayed messages.', ['queue']);
  const admitted = createRateGauge(metrics, clock, {
    name: 'dispatcher.provider.rpm',
    help: 'Messages admitted in the last minute.',
  });
  return {
    checked(provider, outcome) {
      checked.cell(provider).value += 1;
      if (outcome !== 'allowed') return;
      allowed.cell(provider).value += 1;
      admitted(provider).add();
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
