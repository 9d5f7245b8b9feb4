// The retry budget of a single-process gateway.

import type { Clock } from '../../kernel/clock.ts';
import { RetryBucket } from '../../resilience/retry-bucket.ts';
import type { RetryBudget, RetryBudgetRules } from '../../resilience/retry-budget.ts';

export function createMemoryRetryBudget(clock: Clock, rules: RetryBudgetRules): RetryBudget {
  const buckets = new Map<string, RetryBucket>();

  function bucketOf(provider: string): RetryBucket {
    const known = buckets.get(provider);
    if (known) return known;
    const made = new RetryBucket(rules, clock.monotonic());
    buckets.set(provider, made);
    return made;
  }

  return {
    deposit: (provider) => bucketOf(provider).deposit(),
    take: (provider, onAnswer) => onAnswer(bucketOf(provider).take(clock.monotonic())),
    async close() {
      buckets.clear();
    },
  };
}
