// What a process needs to call providers: connections, clocks, prices, and the journal that everything used
// is written to before anybody is told.

import { join } from 'node:path';
import { openFileJournal } from '../adapters/files/journal.ts';
import { createUndiciUpstream } from '../adapters/undici/upstream.ts';
import type { ProviderLimits } from '../admission/provider-limits.ts';
import type { Config } from '../config/config.ts';
import { createCallMetrics } from '../flow/call-metrics.ts';
import type { ServeParts } from '../flow/serve-request.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { createWatch } from '../kernel/watch.ts';
import { createUsageDrain } from '../metering/drain-usage.ts';
import { createMeter, type Meter } from '../metering/meter.ts';
import { createPriceBook } from '../metering/price-book.ts';
import {
  decodeUsageRecord,
  encodeUsageRecord,
  type UsageRecord,
} from '../metering/usage-record.ts';
import type { UsageStore } from '../metering/usage-store.ts';
import { createModelResolver } from '../routing/resolve-model.ts';
import { createIsReasoning } from './reasoning-models.ts';

/** A unary answer is gathered before it is passed on, so it must have an end. */
const LARGEST_ANSWER_BYTES = 64 * 2 ** 20;

export type CallContext = {
  readonly serverId: string;
  readonly usage: UsageStore;
  readonly limits: ProviderLimits;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export function openCalls(config: Config, context: CallContext): ServeParts {
  const { serverId, limits, metrics, clock, log, lifecycle } = context;
  const meter = openMeter(config, context);
  const upstream = createUndiciUpstream({
    connectTimeoutMs: config.timeouts.connectMs,
    maxConnectionsPerOrigin: config.cluster.maxConcurrentBuilds,
  });
  lifecycle.onClose('upstream', () => upstream.close());
  const watch = createWatch(clock);
  lifecycle.onClose('watch', () => watch.close());
  return {
    attempts: {
      upstream,
      clock,
      watch,
      timeouts: config.timeouts,
      maxAnswerBytes: LARGEST_ANSWER_BYTES,
      maxHeldBytes: config.streams.maxBufferBytes,
    },
    resolveModel: createModelResolver(Object.values(config.providers)),
    isReasoning: createIsReasoning(config.models),
    limits,
    meter,
    metrics: createCallMetrics(metrics),
    clock,
    log,
    serverId,
  };
}

function openMeter(config: Config, { usage, clock, log, lifecycle }: CallContext): Meter {
  const journal = openFileJournal<UsageRecord>({
    folder: join(config.storage.dataDir, 'journal'),
    clock,
    encode: encodeUsageRecord,
    decode: decodeUsageRecord,
    segmentBytes: config.journal.segmentBytes,
    onWritableChange: (isWritable) => tellWritable(log, isWritable),
  });
  lifecycle.onClose('journal', () => journal.close());
  const drain = createUsageDrain({ journal, store: usage, clock, log });
  lifecycle.onClose('usage drain', () => drain.close());
  drain.wake();
  const prices = createPriceBook({
    overrides: config.prices.models,
    defaultPrice: config.prices.fallback,
  });
  // Now rather than with the first request, which would wait for it.
  prices.load();
  return createMeter({ journal, prices, clock, onRecorded: () => drain.wake() });
}

function tellWritable(log: Log, isWritable: boolean): void {
  log.write(
    isWritable
      ? { level: 'info', type: 'error', message: 'the usage journal can be written again' }
      : {
          level: 'critical',
          type: 'error',
          message: 'the usage journal cannot be written: calls are refused',
        },
  );
}
