// The public entry `spillway/adapters/memory`: the state of policies in this process. It loads no driver.

import { createMemoryBreakerBoard } from '../../adapters/memory/breaker-board.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { createMemoryRetryBudget } from '../../adapters/memory/retry-budget.ts';
import { type Clock, foregroundClock } from '../../kernel/clock.ts';
import {
  breakerParts,
  budgetRules,
  type ResilienceRules,
  type ResilienceState,
} from './resilience-state.ts';

export type { ResilienceRules, ResilienceState } from './resilience-state.ts';

/**
 * Opens the state of policies in this process.
 *
 * @example
 * import { openMemory } from 'spillway/adapters/memory';
 * import { rateLimit } from 'spillway/resilience';
 *
 * const { rateLimiter, close } = await openMemory();
 * const limits = [{ tier: 'provider', subject: 'search', kind: 'requests', max: 100, windowMs: 60_000 }] as const;
 * const paced = rateLimit({ limiter: rateLimiter, limits });
 * console.log(await paced(() => 'found'));
 * await close();
 */
export async function openMemory(
  options: ResilienceRules & { readonly clock?: Clock } = {},
): Promise<ResilienceState> {
  const { clock = foregroundClock } = options;
  const rateLimiter = createMemoryRateLimiter(clock);
  const breakers = createMemoryBreakerBoard({ ...breakerParts(options), clock });
  const retryBudget = createMemoryRetryBudget(clock, budgetRules(options));
  return {
    rateLimiter,
    breakers,
    retryBudget,
    isShared: () => true,
    async close() {
      await Promise.all([rateLimiter.close(), breakers.close(), retryBudget.close()]);
    },
  };
}
