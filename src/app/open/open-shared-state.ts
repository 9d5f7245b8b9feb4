// The state that servers share besides the durable store: provider limits, rate limits and recent log entries. Without
// REDIS_URL it stays in the process.

import type { LogRing } from '../../adapters/memory/log-ring.ts';
import { createMemoryProviderLimits } from '../../adapters/memory/provider-limits.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import type { RedisLink } from '../../adapters/redis/connection/open-redis.ts';
import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { Config } from '../../config/config.ts';
import type { RecentLog } from '../../http/routes/admin-logs.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { RateLimiter } from '../../resilience/rate-limiter.ts';

export type SharedStateParts = {
  /** Keeps the entries of this process; loss and recovery of Redis are logged through it. */
  readonly ring: LogRing;
  readonly serverId: string;
  /** Servers that share a Redis must share the store. */
  readonly storeId: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
};

export type SharedState = {
  readonly limits: ProviderLimits;
  readonly rateLimiter: RateLimiter;
  readonly recentLog: RecentLog;
  /** The cluster's Redis; undefined for a single process. */
  readonly redis: RedisLink | undefined;
  /** Whether observations are shared with all servers; always true for a single process. */
  readonly isUp: () => boolean;
};

export async function openSharedState(
  config: Config,
  parts: SharedStateParts,
): Promise<SharedState> {
  const { redisUrl } = config.storage;
  if (redisUrl === undefined) return openInProcess(parts);
  // Imported only here: a single process does not load the driver.
  const { openRedisState } = await import('./open-redis-state.ts');
  return openRedisState(config, { ...parts, redisUrl });
}

function openInProcess({ ring, clock, lifecycle }: SharedStateParts): SharedState {
  const limits = createMemoryProviderLimits(clock);
  lifecycle.onClose('limits', () => limits.close());
  const rateLimiter = createMemoryRateLimiter(clock);
  lifecycle.onClose('rate limits', () => rateLimiter.close());
  return { limits, rateLimiter, recentLog: ring, redis: undefined, isUp: () => true };
}
