// Metrics of the worker's permits, and a log entry when jobs arrive that the dispatcher should have delayed: one entry
// per burst; a quiet minute ends a burst.

import type { PermitAnswer } from '../../jobs/ports/job-permits.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { createRateGauge } from './rate-gauge.ts';

export type WorkerMetrics = {
  checked(provider: string, outcome: PermitAnswer['kind']): void;
  requeued(provider: string): void;
};

const BURST_GAP_MS = 60_000;

export function createWorkerMetrics(metrics: Metrics, clock: Clock, log: Log): WorkerMetrics {
  const labels = ['provider'];
  const checked = metrics.counter('worker.ratelimit.checked', 'Permit requests.', labels);
  const allowed = metrics.counter('worker.ratelimit.allowed', 'Permit requests granted.', labels);
  const blocked = metrics.counter('worker.ratelimit.blocked', 'Permit requests denied.', labels);
  const requeued = metrics.counter(
    'worker.ratelimit.requeued',
    'Jobs returned to their queue without a permit.',
    labels,
  );
  const granted = createRateGauge(metrics, clock, {
    name: 'worker.provider.rpm',
    help: 'Permits granted in the last minute.',
  });
  const lastRequeuedAt = new Map<string, number>();
  return {
    checked(provider, outcome) {
      checked.cell(provider).value += 1;
      if (outcome !== 'allowed') blocked.cell(provider).value += 1;
      else {
        allowed.cell(provider).value += 1;
        granted(provider).add();
      }
    },
    requeued(provider) {
      requeued.cell(provider).value += 1;
      const now = clock.monotonic();
      const isNewBurst =
        now - (lastRequeuedAt.get(provider) ?? Number.NEGATIVE_INFINITY) > BURST_GAP_MS;
      lastRequeuedAt.set(provider, now);
      if (isNewBurst) logBypass(log, provider);
    },
  };
}

function logBypass(log: Log, provider: string): void {
  log.write({
    level: 'warn',
    type: 'capacity',
    message: 'dispatcher bypass: the queue holds more jobs than the limit admits',
    metadata: { provider },
  });
}
