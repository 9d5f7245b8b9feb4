// A private Redis and rate limiters on it, one per simulated server.

import type { RedisLink } from '../../../src/adapters/redis/connection/open-redis.ts';
import { openRateLimiter } from '../../../src/adapters/redis/rate-limits/rate-limiter.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { LogEntry } from '../../../src/kernel/log.ts';
import { createMetrics, type Metrics } from '../../../src/kernel/metrics.ts';
import type { OpenedRateLimiter } from '../../contract/rate-limiter.ts';
import { openRedisRig, type RedisRig } from '../stores/redis-rig.ts';

export type LimiterServer = OpenedRateLimiter & {
  readonly link: RedisLink;
  readonly metrics: Metrics;
  readonly log: readonly LogEntry[];
};

export type LimiterRig = RedisRig & {
  openLimiter(keyPrefix?: string): Promise<LimiterServer>;
  /** Resolves after `ms` on Redis' clock. */
  pass(ms: number): Promise<void>;
};

export async function openLimiterRig(): Promise<LimiterRig> {
  const rig = await openRedisRig();
  const opened: LimiterServer[] = [];
  let servers = 0;

  async function openLimiter(keyPrefix = 'spillway:'): Promise<LimiterServer> {
    servers += 1;
    const link = rig.open();
    await link.ready(5000);
    const metrics = createMetrics();
    const log: LogEntry[] = [];
    const limiter = await openRateLimiter({
      link,
      clock: systemClock,
      metrics,
      log: { write: (entry) => void log.push(entry), flush: async () => {} },
      serverId: `srv-${servers}`,
      keyPrefix,
      ttlMs: 120_000,
    });
    const close = async () => {
      await limiter.close();
      await link.close();
    };
    const server = { limiter, link, metrics, log, close, pass: (ms: number) => pass(rig, ms) };
    opened.push(server);
    return server;
  }

  return {
    ...rig,
    openLimiter,
    pass: (ms) => pass(rig, ms),
    async close() {
      await Promise.all(opened.map((server) => server.close()));
      await rig.close();
    },
  };
}

async function pass({ outsider }: Pick<RedisRig, 'outsider'>, ms: number): Promise<void> {
  const startedAt = await timeOf();
  while ((await timeOf()) < startedAt + ms) await new Promise((resolve) => setImmediate(resolve));

  async function timeOf(): Promise<number> {
    const [seconds, micros] = await outsider.time();
    return Math.floor(Number(seconds) * 1000 + Number(micros) / 1000);
  }
}
