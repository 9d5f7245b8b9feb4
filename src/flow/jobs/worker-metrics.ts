// What the worker's permits leave behind: numbers, and a line in the log when jobs come that the dispatcher should have
// held back. A burst of them is one line, and one more when it begins again after a quiet minute.

import type { PermitAnswer } from '../../jobs/ports/job-permits.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { rateGauge } from './dispatch-metrics.ts';

export type WorkerMetrics = {
  checked(provider: string, outcome: PermitAnswer['kind']): void;
  requeued(provider: string): void;
};

const QUIET_MS = 60_000;

export function createWorkerMetrics(metrics: Metrics, clock: Clock, log: Log): WorkerMetrics {
  const labels = ['provider'];
  const checked = metrics.counter('worker.ratelimit.checked', 'Times a permit was asked.', labels);
  const allowed = metrics.counter('worker.ratelimit.allowed', 'Permits that were given.', labels);
  const blocked = metrics.counter('worker.ratelimit.blocked', 'Permits that were not.', labels);
  const requeued = metrics.counter('worker.ratelimit.requeued', 'Jobs that were put back.', labels);
  const passed = rateGauge(metrics, clock, 'worker.provider.rpm', 'Permits given in a minute.');
  const lastRequeuedAt = new Map<string, number>();
  return {
    checked(provider, outcome) {
      checked.cell(provider).value += 1;
      if (outcome !== 'allowed') blocked.cell(provider).value += 1;
      else {
        allowed.cell(provider).value += 1;
        passed(provider).add();
      }
    },
    requeued(provider) {
      requeued.cell(provider).value += 1;
      const now = clock.monotonic();
      const isNewBurst =
        now - (lastRequeuedAt.get(provider) ?? Number.NEGATIVE_INFINITY) > QUIET_MS;
      lastRequeuedAt.set(provider, now);
      if (isNewBurst) tellBypass(log, provider);
    },
  };
}

function tellBypass(log: Log, provider: string): void {
  log.write({
    level: 'warn',
    type: 'capacity',
    message: 'dispatcher bypass: more jobs are on the queue than the limit allows',
    metadata: { provider },
  });
}
