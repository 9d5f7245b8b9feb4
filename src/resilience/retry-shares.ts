// Shares the retry budget of a provider between the organisations of a server. The budget is one bucket, so that
// failures of one organisation alone would use up the retries of all. A retry therefore needs a token of the
// organisation's own bucket as well, which is filled by its own requests and holds three quarters of the provider's:
// the rest is left to others. The number of organisations is bounded: at the cap the one known for the longest time is
// forgotten and starts with a full bucket when it calls again.

import type { Clock } from '../kernel/clock.ts';
import { RetryBucket } from './retry-bucket.ts';
import type { RetryBudget, RetryBudgetRules } from './retry-budget.ts';

/** A retry budget whose requests and retries name their organisation. */
export type SharedRetryBudget = {
  deposit(provider: string, organizationId: string): void;
  take(provider: string, organizationId: string, onAnswer: (isGranted: boolean) => void): void;
  close(): Promise<void>;
};

const OWN_SHARE = 0.75;
const MAX_ORGANIZATIONS = 2000;

export function shareRetryBudget(
  budget: RetryBudget,
  clock: Pick<Clock, 'monotonic'>,
  rules: RetryBudgetRules,
): SharedRetryBudget {
  const own: RetryBudgetRules = { ...rules, capacity: Math.max(1, rules.capacity * OWN_SHARE) };
  const providers = new Map<string, Map<string, RetryBucket>>();

  function bucketOf(provider: string, organizationId: string): RetryBucket {
    const buckets = providers.get(provider) ?? new Map<string, RetryBucket>();
    const known = buckets.get(organizationId);
    if (known) return known;
    const [longestKnown] = buckets.keys();
    if (buckets.size >= MAX_ORGANIZATIONS && longestKnown !== undefined)
      buckets.delete(longestKnown);
    const made = new RetryBucket(own, clock.monotonic());
    buckets.set(organizationId, made);
    providers.set(provider, buckets);
    return made;
  }

  return {
    deposit(provider, organizationId) {
      budget.deposit(provider);
      bucketOf(provider, organizationId).deposit();
    },
    take(provider, organizationId, onAnswer) {
      if (!bucketOf(provider, organizationId).take(clock.monotonic())) return onAnswer(false);
      budget.take(provider, onAnswer);
    },
    close: () => budget.close(),
  };
}
