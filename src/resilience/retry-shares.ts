// Shares the retry budget of a provider between organisations. The budget is one bucket, so that
// failures of one organisation alone would use up the retries of all. A retry therefore needs a token of the
// organisation's own bucket as well, which is filled by its own requests and holds three quarters of the provider's:
// the rest is left to others. The organisation's bucket is counted here, and by the budget if servers share it. The number of
// organisations is bounded: at the cap the one known for the longest time is forgotten and starts with a full bucket when it
// calls again.

import type { Clock } from '../kernel/clock.ts';
import { RetryBucket } from './retry-bucket.ts';
import type { RetryBudget, RetryBudgetRules } from './retry-budget.ts';

/** A retry budget whose requests and retries name their organisation. */
export type SharedRetryBudget = {
  deposit(provider: string, organizationId: string): void;
  take(provider: string, organizationId: string, onAnswer: (isGranted: boolean) => void): void;
  close(): Promise<void>;
};

/** `requests`: since the last retry. */
type Share = { readonly bucket: RetryBucket; requests: number };

const OWN_SHARE = 0.75;
const MAX_ORGANIZATIONS = 2000;

export function shareRetryBudget(
  budget: RetryBudget,
  clock: Pick<Clock, 'monotonic'>,
  rules: RetryBudgetRules,
): SharedRetryBudget {
  const own: RetryBudgetRules = { ...rules, capacity: Math.max(1, rules.capacity * OWN_SHARE) };
  const providers = new Map<string, Map<string, Share>>();

  function shareOf(provider: string, organizationId: string): Share {
    const buckets = providers.get(provider) ?? new Map<string, Share>();
    const known = buckets.get(organizationId);
    if (known) return known;
    const [longestKnown] = buckets.keys();
    if (buckets.size >= MAX_ORGANIZATIONS && longestKnown !== undefined)
      buckets.delete(longestKnown);
    const made = { bucket: new RetryBucket(own, clock.monotonic()), requests: 0 };
    buckets.set(organizationId, made);
    providers.set(provider, buckets);
    return made;
  }

  return {
    deposit(provider, organizationId) {
      budget.deposit(provider);
      const share = shareOf(provider, organizationId);
      share.bucket.deposit();
      share.requests += 1;
    },
    take(provider, organizationId, onAnswer) {
      const share = shareOf(provider, organizationId);
      if (!share.bucket.take(clock.monotonic())) return onAnswer(false);
      const { requests } = share;
      share.requests = 0;
      budget.take(provider, onAnswer, { organizationId, requests, capacity: own.capacity });
    },
    close: () => budget.close(),
  };
}
