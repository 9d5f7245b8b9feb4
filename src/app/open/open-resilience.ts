// Opens circuit breakers, retry budget and headroom. With a Redis all servers share them; without one they stay in the
// process.

import { createMemoryBreakerBoard } from '../../adapters/memory/breaker-board.ts';
import { createMemoryHeadroomExchange } from '../../adapters/memory/headroom-exchange.ts';
import { createMemoryRetryBudget } from '../../adapters/memory/retry-budget.ts';
import type { RedisLink } from '../../adapters/redis/connection/open-redis.ts';
import { commonPrefix } from '../../adapters/redis/rate-limits/rate-limit-keys.ts';
import { type Headroom, openHeadroom } from '../../admission/headroom.ts';
import type { HeadroomExchange } from '../../admission/headroom-exchange.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import type { CircuitKey } from '../../resilience/circuit-key.ts';
import { createTransitionReporter } from '../../resilience/circuit-transitions.ts';
import type { RetryBudget } from '../../resilience/retry-budget.ts';
import { type SharedRetryBudget, shareRetryBudget } from '../../resilience/retry-shares.ts';
import { spareOrganizations } from '../../resilience/spare-organizations.ts';

export type ResilienceContext = {
  /** The cluster's Redis; undefined for a single process. */
  readonly redis: RedisLink | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
};

export type Resilience = {
  readonly breakers: BreakerBoard;
  readonly retryBudget: SharedRetryBudget;
  readonly headroom: Headroom;
};

export async function openResilience(
  config: Config,
  context: ResilienceContext,
): Promise<Resilience> {
  const { clock, lifecycle, redis } = context;
  const parts = redis ? await openOnRedis(config, context, redis) : openInProcess(config, context);
  const { exchange } = parts;
  const breakers = spareOrganizations(parts.breakers, clock);
  const retryBudget = shareRetryBudget(parts.retryBudget, clock, budgetRules(config));
  lifecycle.onClose('breakers', () => breakers.close());
  lifecycle.onClose('retry budget', () => retryBudget.close());
  const headroom = await openHeadroom({ clock, exchange });
  lifecycle.onClose('headroom', () => headroom.close());
  return { breakers, retryBudget, headroom };
}

/** Each provider that has a key, in each region of its accounts. */
export function configuredCircuits({
  providers,
}: Pick<Config, 'providers'>): readonly CircuitKey[] {
  return Object.values(providers)
    .filter(({ hasKey }) => hasKey)
    .flatMap(({ name, accounts }) => {
      const regions = new Set(accounts.map(({ region }) => region));
      return [...regions].map((region) => ({ provider: name, region }));
    });
}

type Parts = {
  readonly breakers: BreakerBoard;
  readonly retryBudget: RetryBudget;
  readonly exchange: HeadroomExchange;
};

function openInProcess(config: Config, context: ResilienceContext): Parts {
  const { clock } = context;
  return {
    breakers: createMemoryBreakerBoard({ ...breakerParts(config, context), clock }),
    retryBudget: createMemoryRetryBudget(clock, budgetRules(config)),
    exchange: createMemoryHeadroomExchange(),
  };
}

async function openOnRedis(
  config: Config,
  context: ResilienceContext,
  link: RedisLink,
): Promise<Parts> {
  // Imported only here: a single process does not load the Redis adapters.
  const [{ openRedisBreakerBoard }, { createRedisRetryBudget }, { createRedisHeadroomExchange }] =
    await Promise.all([
      import('../../adapters/redis/breakers/breaker-board.ts'),
      import('../../adapters/redis/retry-budget.ts'),
      import('../../adapters/redis/headroom-exchange.ts'),
    ]);
  const keyPrefix = commonPrefix(config.storage.redisKeyPrefix);
  const shared = { link, clock: context.clock, keyPrefix };
  return {
    breakers: await openRedisBreakerBoard({ ...breakerParts(config, context), ...shared }),
    retryBudget: createRedisRetryBudget({ ...shared, rules: budgetRules(config) }),
    exchange: createRedisHeadroomExchange(shared),
  };
}

function breakerParts(config: Config, { log, metrics }: ResilienceContext) {
  return {
    rules: config.breaker,
    newProbeId: () => newId('att'),
    // A probe's outcome is known with its first content or its unary answer.
    longestCallMs: longestProbeMs(config),
    onTransition: createTransitionReporter(log, metrics),
  };
}

function longestProbeMs({ timeouts }: Config): number {
  const { unaryMs, firstContentMs, reasoningFirstContentMs } = timeouts;
  return Math.max(unaryMs, firstContentMs, reasoningFirstContentMs);
}

function budgetRules({ retry }: Config) {
  return {
    perRequest: retry.budgetPerRequest,
    perSecond: retry.budgetPerSecond,
    capacity: retry.budgetCapacity,
  };
}
