// Starts the sampling of this process's figures into the store, and their retention. Every role samples: the figures of a
// dispatcher and of a worker are on the dashboard of any gateway.

import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { startSamplePruning } from '../../series/prune-samples.ts';
import { readCounters } from '../../series/read-counters.ts';
import { type Sampler, startSampler } from '../../series/sampler.ts';
import type { Store } from '../store-ports.ts';

export type SeriesContext = {
  readonly store: Pick<Store, 'series'>;
  readonly serverId: string;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export function openSeries(config: Config, context: SeriesContext): Sampler {
  const { metrics, clock, log, lifecycle } = context;
  const store = context.store.series;
  const sampler = startSampler({
    store,
    source: `${context.serverId}/${newId('run')}`,
    readCounters: () => readCounters(metrics),
    clock,
    onUnavailable: (cause) =>
      logFailure(log, 'samples cannot be stored; they are kept in memory', cause, {
        level: 'warn',
      }),
  });
  lifecycle.onClose('samples', () => sampler.close());
  const retention = startSamplePruning({
    store,
    keptMs: config.retention.samplesMs,
    clock,
    log,
  });
  lifecycle.onClose('sample retention', () => retention.close());
  return sampler;
}
