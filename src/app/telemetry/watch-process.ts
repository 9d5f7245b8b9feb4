// Watches this process and its dependencies: the delay of the event loop every ten seconds, the time that each
// dependency takes to answer a cheap request, and the figures of the limiter's records at longer intervals. The values
// become metrics; values above the configured thresholds also become log lines of type `performance`. A dependency that
// does not answer has no latency: its adapter logs the outage.

import { startEventLoopMeter } from '../../adapters/process/event-loop-meter.ts';
import { registerProcessMetrics } from '../../adapters/process/process-metrics.ts';
import type { PerformanceLog } from '../../flow/telemetry/performance-log.ts';
import type { Clock } from '../../kernel/clock.ts';
import { every } from '../../kernel/every.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { ReadLimiterFigures } from '../../resilience/limiter-figures.ts';
import type { Dependency } from '../cluster/health-check.ts';

export type WatchContext = {
  readonly metrics: Metrics;
  readonly performance: PerformanceLog;
  readonly dependencies: readonly Dependency[];
  readonly limiterFigures: ReadLimiterFigures;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
};

const EVENT_LOOP_INTERVAL_MS = 10_000;
const DEPENDENCY_INTERVAL_MS = 15_000;
const LIMITER_INTERVAL_MS = 60_000;

export function watchProcess(context: WatchContext): void {
  const { metrics, clock, lifecycle } = context;
  registerProcessMetrics(metrics);
  const eventLoop = every(clock, EVENT_LOOP_INTERVAL_MS, watchEventLoop(context));
  const others = [
    every(clock, DEPENDENCY_INTERVAL_MS, watchDependencies(context)),
    every(clock, LIMITER_INTERVAL_MS, watchLimiter(context)),
  ];
  for (const watch of others) void watch.runNow().catch(() => {});
  lifecycle.onClose('process watches', async () => {
    await Promise.all([eventLoop, ...others].map((watch) => watch.close()));
  });
}

function watchEventLoop({ metrics, performance, lifecycle }: WatchContext): () => void {
  const delay = metrics.gauge(
    'process.event_loop.delay',
    'Delay of timers in seconds over the last ten seconds, by statistic: p50, p99 or max.',
    ['statistic'],
    's',
  );
  const meter = startEventLoopMeter();
  lifecycle.onClose('event loop meter', () => meter.close());
  return () => {
    const { p50Ms, p99Ms, maxMs } = meter.read();
    delay.cell('p50').value = p50Ms / 1000;
    delay.cell('p99').value = p99Ms / 1000;
    delay.cell('max').value = maxMs / 1000;
    performance.eventLoop(maxMs, p99Ms);
  };
}

function watchDependencies(context: WatchContext): () => Promise<void> {
  const { metrics, performance, dependencies, clock } = context;
  const latency = metrics.gauge(
    'dependency.latency',
    'Time that a dependency took to answer its last check, in seconds.',
    ['dependency'],
    's',
  );
  const up = metrics.gauge(
    'dependency.up',
    '1 while a dependency (store, redis or broker) answers its check, else 0.',
    ['dependency'],
  );

  async function check({ name, ask }: Dependency): Promise<void> {
    const startedAtMs = clock.monotonic();
    try {
      await ask();
    } catch {
      up.cell(name).value = 0;
      return;
    }
    const latencyMs = clock.monotonic() - startedAtMs;
    up.cell(name).value = 1;
    latency.cell(name).value = latencyMs / 1000;
    performance.dependency(name, latencyMs);
  }

  return async () => {
    await Promise.all(dependencies.map(check));
  };
}

function watchLimiter({ metrics, limiterFigures }: WatchContext): () => Promise<void> {
  const records = metrics
    .gauge('ratelimit.keys', 'Records of the rate limiter: keys in Redis, or windows in memory.')
    .cell();
  const memory = metrics.gauge(
    'ratelimit.keys.memory',
    "Memory of the rate limiter's keys in Redis, in bytes.",
    [],
    'By',
  );
  const ttl = metrics.gauge(
    'ratelimit.keys.ttl',
    "Remaining time to live of the rate limiter's keys in Redis in seconds, by bound: min or max.",
    ['bound'],
    's',
  );
  return async () => {
    const figures = await limiterFigures();
    records.value = figures.records;
    if (figures.memoryBytes !== undefined) memory.cell().value = figures.memoryBytes;
    if (!figures.ttl) return;
    ttl.cell('min').value = figures.ttl.minMs / 1000;
    ttl.cell('max').value = figures.ttl.maxMs / 1000;
  };
}
