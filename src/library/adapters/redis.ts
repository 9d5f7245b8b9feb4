// The public entry `spillway/adapters/redis`: the state of policies on a Redis, shared by all processes with the same prefix.
// While Redis is unavailable each process decides by its own observations and its safe share of the limits, and shares them
// again afterwards.

import { openRedisBreakerBoard } from '../../adapters/redis/breakers/breaker-board.ts';
import { openRedis as connect } from '../../adapters/redis/connection/open-redis.ts';
import { createRenewEpochs } from '../../adapters/redis/connection/renew-epochs.ts';
import { rateLimitKeys } from '../../adapters/redis/rate-limits/rate-limit-keys.ts';
import { openRateLimiter } from '../../adapters/redis/rate-limits/rate-limiter.ts';
import { createRedisRetryBudget } from '../../adapters/redis/retry-budget.ts';
import { type Clock, foregroundClock } from '../../kernel/clock.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import {
  breakerParts,
  budgetRules,
  type ResilienceRules,
  type ResilienceState,
} from './resilience-state.ts';

export type { ResilienceRules, ResilienceState } from './resilience-state.ts';

/**
 * The options of `openRedis`.
 *
 * @example
 * import type { RedisOptions } from 'spillway/adapters/redis';
 *
 * export const options: RedisOptions = { url: 'redis://127.0.0.1:6379', keyPrefix: 'shop:', connectWaitMs: 1000 };
 */
export type RedisOptions = ResilienceRules & {
  /** `redis://`, `rediss://`, or the Sentinels as `redis+sentinel://host,host/name`. */
  readonly url: string;
  /** The certificate authorities to trust for TLS. */
  readonly ca?: readonly string[];
  /** Processes with the same prefix share their state; a gateway has `spillway:`. */
  readonly keyPrefix?: string;
  /** How long opening waits for Redis before it continues without it; 3 s by default. */
  readonly connectWaitMs?: number;
  /** Gets one entry for each loss and each recovery. */
  readonly log?: Log;
  readonly clock?: Clock;
};

const DEFAULT_PREFIX = 'resilience:';
const CONNECT_WAIT_MS = 3000;
const RECORD_TTL_MS = 120_000;

/**
 * Opens the state of policies on a Redis.
 *
 * @example
 * import { openRedis } from 'spillway/adapters/redis';
 * import { circuitBreaker } from 'spillway/resilience';
 *
 * const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
 * const { breakers, close } = await openRedis({ url, keyPrefix: 'shop:' });
 * const search = circuitBreaker({ board: breakers, key: { provider: 'search', region: 'eu' } });
 * console.log(await search(() => 'found'));
 * await close();
 */
export async function openRedis(options: RedisOptions): Promise<ResilienceState> {
  const { keyPrefix = DEFAULT_PREFIX, clock = foregroundClock, log = silentLog } = options;
  const { url, ca, connectWaitMs = CONNECT_WAIT_MS } = options;
  const lifecycle = createLifecycle();
  const renew = createRenewEpochs(keyPrefix, [rateLimitKeys(keyPrefix).epoch]);
  const link = connect({
    url,
    ca,
    clock,
    log,
    verify: async (redis) => {
      await renew(redis);
      return undefined;
    },
  });
  lifecycle.onClose('redis', () => link.close());
  await link.ready(connectWaitMs);
  const shared = { link, clock, keyPrefix };
  const rateLimiter = await openRateLimiter({
    ...shared,
    log,
    metrics: createMetrics(),
    serverId: crypto.randomUUID(),
    ttlMs: RECORD_TTL_MS,
  });
  lifecycle.onClose('rate limits', () => rateLimiter.close());
  const breakers = await openRedisBreakerBoard({ ...breakerParts(options), ...shared });
  lifecycle.onClose('breakers', () => breakers.close());
  const retryBudget = createRedisRetryBudget({ ...shared, rules: budgetRules(options) });
  lifecycle.onClose('retry budget', () => retryBudget.close());
  return {
    rateLimiter,
    breakers,
    retryBudget,
    isShared: () => link.isUp(),
    close: () => lifecycle.close(),
  };
}
