// Opens the state that servers share: provider limits, rate limits and recent log entries. Without REDIS_URL it stays in the
// process.

import { createMemoryProviderLimits } from '../../adapters/memory/provider-limits.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import type { Config } from '../../config/config.ts';
import type { SharedState, SharedStateParts } from './shared-state.ts';

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
  return {
    limits,
    rateLimiter,
    limiterFigures: rateLimiter.figures,
    recentLog: ring,
    redis: undefined,
    isUp: () => true,
  };
}
