// What the rate limiter's records are called in Redis, where operators look at them. A prefix that ends in `ratelimit:`,
// as older deployments set it for each process, is taken whole: the limit whose process it names stands right behind it.

import type { Limit, LimitTier } from '../../../resilience/rate-limiter.ts';

export type RateLimitKeys = {
  /** Of the record that counts requests; the other kinds stand beside it. */
  of(limit: Limit): string;
  readonly epoch: string;
  readonly servers: string;
  readonly awaited: string;
};

const WHOLE_PREFIX = /(worker:|dispatcher:)?ratelimit:$/;

export function rateLimitKeys(prefix: string): RateLimitKeys {
  const starts = WHOLE_PREFIX.test(prefix) ? wholeStarts(prefix) : usualStarts(prefix);
  const shared = `${commonPrefix(prefix)}ratelimit:`;
  return Object.freeze({
    of: ({ tier, subject }: Limit) => `${starts[tier]}${subject}`,
    epoch: `${shared}epoch`,
    servers: `${shared}servers`,
    awaited: `${shared}awaited`,
  });
}

/** What processes share whose prefixes name each its own limit: everything but the limits stands behind it. */
export function commonPrefix(prefix: string): string {
  return prefix.replace(WHOLE_PREFIX, '');
}

function usualStarts(prefix: string): Record<LimitTier, string> {
  return {
    organization: `${prefix}ratelimit:org:`,
    key: `${prefix}ratelimit:key:`,
    provider: `${prefix}worker:ratelimit:`,
    dispatcher: `${prefix}dispatcher:ratelimit:`,
  };
}

/** What the dispatcher let through is another count than the calls made, and must not fall on the same key. */
function wholeStarts(prefix: string): Record<LimitTier, string> {
  const base = commonPrefix(prefix);
  const starts = { organization: `${prefix}org:`, key: `${prefix}key:` };
  if (prefix.endsWith('dispatcher:ratelimit:'))
    return { ...starts, provider: `${base}worker:ratelimit:`, dispatcher: prefix };
  if (prefix.endsWith('worker:ratelimit:'))
    return { ...starts, provider: prefix, dispatcher: `${base}dispatcher:ratelimit:` };
  return { ...starts, provider: prefix, dispatcher: `${prefix}dispatcher:` };
}
