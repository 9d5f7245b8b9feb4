// The state that servers share besides the durable store, and the parts it is opened from.

import type { LogRing } from '../../adapters/memory/log-ring.ts';
import type { RedisLink } from '../../adapters/redis/connection/open-redis.ts';
import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { RecentLog } from '../../http/routes/admin-logs.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { ReadLimiterFigures } from '../../resilience/limiter-figures.ts';
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
  readonly limiterFigures: ReadLimiterFigures;
  readonly recentLog: RecentLog;
  /** The cluster's Redis; undefined for a single process. */
  readonly redis: RedisLink | undefined;
  /** Whether observations are shared with all servers; always true for a single process. */
  readonly isUp: () => boolean;
};
