// What keeps calls going when providers fail: circuit breakers, the retry budget, and the room below providers' limits.
// With a Redis all servers share it, without one it stays in the process.

import { createMemoryBreakerBoard } from '../../adapters/memory/breaker-board.ts';
import { createMemoryHeadroomExchange } from '../../adapters/memory/headroom-exchange.ts';
import { createMemoryRetryBudget } from '../../adapters/memory/retry-budget.ts';
import type { RedisLink } from '../../adapters/redis/connection/open-redis.ts';
import { commonPrefix } from '../../adapters/redis/rate-limits/rate-limit-keys.ts';
import type { BreakerPlace } from '../../admission/administer-breakers.ts';
import { type Headroom, openHeadroom } from '../../admission/headroom.ts';
import type { HeadroomExchange } from '../../admission/headroom-exchange.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import { createTransitionReporter } from '../../resilience/circuit-transitions.ts';
import type { RetryBudget } from '../../resilience/retry-budget.ts';

export type ResilienceContext = {
  /** The cluster's Redis; undefined for a process of its own. */
  readonly redis: RedisLink | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
};

export type Resilience = {
  readonly breakers: BreakerBoard;
  readonly retryBudget: RetryBudget;
  readonly headroom: Headroom;
};

export async function openResilience(
  config: Config,
  context: ResilienceContext,
): Promise<Resilience> {
  const { clock, lifecycle, redis } = context;
  const { breakers, retryBudget, exchange } = redis
    ? await openTogether(config, context, redis)
    : openAlone(config, context);
  lifecycle.onClose('breakers', () => breakers.close());
  lifecycle.onClose('retry budget', () => retryBudget.close());
  const headroom = await openHeadroom({ clock, exchange });
  lifecycle.onClose('headroom', () => headroom.close());
  return { breakers, retryBudget, headroom };
}

/** Where circuits are: each provider in each region of its accounts. */
export function breakerPlaces({ providers }: Pick<Config, 'providers'>): readonly BreakerPlace[] {
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

function openAlone(config: Config, context: ResilienceContext): Parts {
  const { clock } = context;
  return {
    breakers: createMemoryBreakerBoard({ ...breakerParts(config, context), clock }),
    retryBudget: createMemoryRetryBudget(clock, budgetRules(config)),
    exchange: createMemoryHeadroomExchange(),
  };
}

async function openTogether(
  config: Config,
  context: ResilienceContext,
  link: RedisLink,
): Promise<Parts> {
  // Loaded only here: a process of its own does not need it.
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
    longestCallMs: config.timeouts.totalMs,
    onMove: createTransitionReporter(log, metrics),
  };
}

function budgetRules({ retry }: Config) {
  return {
    perRequest: retry.budgetPerRequest,
    perSecond: retry.budgetPerSecond,
    capacity: retry.budgetCapacity,
  };
}
