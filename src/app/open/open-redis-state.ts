// The shared state of a cluster, on Redis. One that is away keeps nothing from starting: this server then knows what it
// learns itself, and the others hear of it when Redis is there. What waiting does not mend (a wrong password, a Redis of
// another store) is one sentence at the start.

import { openRedis, type RedisLink } from '../../adapters/redis/connection/open-redis.ts';
import { whyForeign } from '../../adapters/redis/connection/same-store.ts';
import { placeOf, whyRefused } from '../../adapters/redis/connection/why-unusable.ts';
import { createLogList } from '../../adapters/redis/log-list.ts';
import { openProviderLimits } from '../../adapters/redis/provider-limits/provider-limits.ts';
import { commonPrefix } from '../../adapters/redis/rate-limits/rate-limit-keys.ts';
import { openRateLimiter } from '../../adapters/redis/rate-limits/rate-limiter.ts';
import { CLOCK_SKEW_MS } from '../../admission/provider-limits.ts';
import type { Config } from '../../config/config.ts';
import type { RecentLog } from '../../http/routes/admin-logs.ts';
import type { CircuitKey } from '../../resilience/circuit-key.ts';
import { StartFailure } from '../start-failure.ts';
import type { SharedState, SharedStateParts } from './open-shared-state.ts';

const PATIENCE_MS = 3000;

export async function openRedisState(
  config: Config,
  parts: SharedStateParts & { readonly redisUrl: string },
): Promise<SharedState> {
  const { redisUrl: url, storeId, ring, clock, lifecycle } = parts;
  const { redisKeyPrefix } = config.storage;
  const link = openRedis({
    url,
    clock,
    log: ring.log,
    greet: (redis) => whyForeign(redis, commonPrefix(redisKeyPrefix), storeId),
  });
  lifecycle.onClose('redis', () => link.close());
  await link.ready(PATIENCE_MS);
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
  return { limits, rateLimiter, recentLog, redis: link, isUp: () => link.isUp() };
}

function assertUsable(link: RedisLink, url: string): void {
  if (link.isUp()) return;
  const place = `The Redis at ${placeOf(url)}`;
  if (link.refusal() !== undefined)
    throw new StartFailure(
      `${place} belongs to another Spillway store; servers that share a Redis must share the store: give them the same DATABASE_URL, or this one another Redis.`,
    );
  const why = whyRefused(link.lastFailure());
  if (why !== undefined) throw new StartFailure(`${place} ${why}.`);
}

/** The entries of all servers when they are kept; while Redis is away, at least this server's own. */
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
