// The shared state of a cluster on Redis. A server starts without its Redis: it then uses its own observations and shares
// them once Redis is available. A permanent failure (a wrong password, a Redis of another store) ends the start with one
// sentence.

import { permanentFailure } from '../../adapters/redis/connection/failure-text.ts';
import { openRedis, type RedisLink } from '../../adapters/redis/connection/open-redis.ts';
import { addressOf } from '../../adapters/redis/connection/redis-address.ts';
import { createRenewEpochs } from '../../adapters/redis/connection/renew-epochs.ts';
import { verifyStore } from '../../adapters/redis/connection/verify-store.ts';
import { createLogList } from '../../adapters/redis/log-list.ts';
import { STATE_KEY } from '../../adapters/redis/provider-limits/limit-scripts.ts';
import { openProviderLimits } from '../../adapters/redis/provider-limits/provider-limits.ts';
import { createReadLimiterFigures } from '../../adapters/redis/rate-limits/limiter-figures.ts';
import { commonPrefix, rateLimitKeys } from '../../adapters/redis/rate-limits/rate-limit-keys.ts';
import { openRateLimiter } from '../../adapters/redis/rate-limits/rate-limiter.ts';
import { CLOCK_SKEW_MS } from '../../admission/provider-limits.ts';
import type { Config } from '../../config/config.ts';
import type { RecentLog } from '../../http/routes/admin-logs.ts';
import type { CircuitKey } from '../../resilience/circuit-key.ts';
import { StartFailure } from '../start-failure.ts';
import { readRedisAddress } from './redis-authorities.ts';
import type { SharedState, SharedStateParts } from './shared-state.ts';

const CONNECT_WAIT_MS = 3000;

export async function openRedisState(
  config: Config,
  parts: SharedStateParts & { readonly redisUrl: string },
): Promise<SharedState> {
  const { redisUrl: url, storeId, ring, clock, lifecycle } = parts;
  const { redisKeyPrefix } = config.storage;
  const link = openRedis({
    ...readRedisAddress(config, url),
    clock,
    log: ring.log,
    verify: createVerify(redisKeyPrefix, storeId),
  });
  lifecycle.onClose('redis', () => link.close());
  await link.ready(CONNECT_WAIT_MS);
  assertUsable(link, url);
  const recentLog = openRecentLog(config, link, parts);
  const scopes = configuredScopes(config);
  const limits = await openProviderLimits({ link, clock, scopes, skewMs: CLOCK_SKEW_MS });
  lifecycle.onClose('limits', () => limits.close());
  const rateLimiter = await openRateLimiter({
    link,
    clock,
    log: ring.log,
    metrics: parts.metrics,
    serverId: parts.serverId,
    keyPrefix: redisKeyPrefix,
    ttlMs: config.storage.redisTtlSeconds * 1000,
  });
  lifecycle.onClose('rate limits', () => rateLimiter.close());
  return {
    limits,
    rateLimiter,
    limiterFigures: createReadLimiterFigures(link, commonPrefix(redisKeyPrefix)),
    recentLog,
    redis: link,
    isUp: () => link.isUp(),
  };
}

/** A Redis of this store; its epochs belong to the process that serves it. */
function createVerify(redisKeyPrefix: string, storeId: string) {
  const prefix = commonPrefix(redisKeyPrefix);
  const renewEpochs = createRenewEpochs(prefix, [rateLimitKeys(redisKeyPrefix).epoch, STATE_KEY]);
  return async (redis: Parameters<typeof renewEpochs>[0]): Promise<string | undefined> => {
    const refusal = await verifyStore(redis, prefix, storeId);
    if (refusal === undefined) await renewEpochs(redis);
    return refusal;
  };
}

function assertUsable(link: RedisLink, url: string): void {
  if (link.isUp()) return;
  const subject = `The Redis at ${addressOf(url)}`;
  if (link.refusal() !== undefined)
    throw new StartFailure(
      `${subject} belongs to another Spillway store; servers that share a Redis must share the store: give them the same DATABASE_URL, or this one another Redis.`,
    );
  const failure = permanentFailure(link.lastFailure());
  if (failure !== undefined) throw new StartFailure(`${subject} ${failure}.`);
}

/** The entries of all servers if Redis stores them; while Redis is unavailable, this server's own. */
function openRecentLog(
  config: Config,
  link: RedisLink,
  { ring, serverId, clock, lifecycle }: SharedStateParts,
): RecentLog {
  const { redisEnabled, maxRedisEntries: maxEntries } = config.log;
  if (!redisEnabled) return { recent: () => undefined };
  const list = createLogList({ link, clock, serverId, maxEntries });
  for (const entry of ring.recent({ limit: maxEntries }).toReversed()) list.push(entry);
  ring.follow((entry) => list.push(entry));
  lifecycle.onClose('log list', () => list.close());
  return { recent: (query) => list.recent(query).catch(() => ring.recent(query)) };
}

/** The scopes where an operator may write a limit to Redis by hand. */
function configuredScopes({ providers }: Config): readonly CircuitKey[] {
  return Object.values(providers).flatMap(({ name, region, accounts }) => {
    const regions = new Set([region, ...accounts.map((account) => account.region)]);
    return [...regions].map((each) => ({ provider: name, region: each }));
  });
}
