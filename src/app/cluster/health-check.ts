// The detailed health of this server: each dependency has to answer a cheap request within a time limit, and the depth
// of its queues is read. No provider is called.

import type { ProcessMeter } from '../../adapters/process/process-figures.ts';
import type { ProviderLimit } from '../../admission/provider-limits.ts';
import type { ServerMode } from '../../cluster/server-record.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import { VERSION } from '../../kernel/version.ts';
import type { ServerReadiness } from '../readiness.ts';
import type { KnownFacts } from './server-facts.ts';

export type Dependency = {
  readonly name: 'store' | 'redis' | 'broker';
  /** Resolves when the dependency has answered. */
  readonly ask: () => Promise<unknown>;
};

export type HealthCheckParts = {
  readonly serverId: string;
  readonly facts: KnownFacts;
  readonly readiness: ServerReadiness;
  readonly mode: () => ServerMode;
  readonly process: ProcessMeter;
  readonly activeRequests: () => number;
  /** Jobs that could run now. */
  readonly queueDepth: () => Promise<number>;
  readonly dependencies: readonly Dependency[];
  readonly clock: Clock;
};

const ANSWER_TIMEOUT_MS = 2000;

export function createHealthCheck(parts: HealthCheckParts): () => Promise<object> {
  const { facts, readiness, clock } = parts;
  return async () => {
    const [dependencies, queueDepth, limits, status] = await Promise.all([
      Promise.all(parts.dependencies.map((dependency) => measure(dependency, clock))),
      depthOf(parts),
      facts.limits(),
      facts.health(),
    ]);
    const isDown = dependencies.some((each) => each.status === 'down');
    return {
      id: parts.serverId,
      version: VERSION,
      status: status === 'healthy' && isDown ? 'degraded' : status,
      isDraining: readiness.unhealthyReason() === 'draining',
      mode: parts.mode(),
      aiUsageLimit: usageLimit(limits, clock.now()),
      basicMetrics: parts.process.read(),
      workload: { activeBuilds: parts.activeRequests(), queueDepth },
      dependencies,
      lastHealthCheck: clock.now(),
    };
  };
}

async function measure({ name, ask }: Dependency, clock: Clock) {
  const startedAtMs = clock.monotonic();
  const isUp = await withinTime(clock, ask());
  const latencyMs = Math.round((clock.monotonic() - startedAtMs) * 100) / 100;
  return isUp
    ? { name, status: 'up' as const, latencyMs }
    : { name, status: 'down' as const, latencyMs: null };
}

/** Null while a queue is unavailable. */
async function depthOf({ queueDepth, clock }: HealthCheckParts): Promise<number | null> {
  let depth: number | null = null;
  const reading = queueDepth().then((read) => {
    depth = read;
  });
  await withinTime(clock, reading);
  return depth;
}

/** Whether the work succeeds within the time limit. */
export async function withinTime(clock: Clock, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const answered = work.then(
    () => true,
    () => false,
  );
  const late = sleep(clock, ANSWER_TIMEOUT_MS, ended.signal).then(
    () => false,
    () => false,
  );
  const isInTime = await Promise.race([answered, late]);
  ended.abort();
  return isInTime;
}

/** The limit of a whole account that ends first. */
function usageLimit(limits: readonly ProviderLimit[], now: number) {
  const [first] = limits
    .filter(({ model, kind }) => model === undefined && kind !== 'throttled')
    .toSorted((one, other) => one.resetAt - other.resetAt);
  return {
    isActive: first !== undefined,
    resetTime: first?.resetAt ?? null,
    timeUntilReset: first ? Math.max(0, first.resetAt - now) : null,
    provider: first?.provider ?? null,
  };
}
