// The Redis keys of the rate limiter's records, which operators read. A prefix that ends in `ratelimit:`, as older
// deployments set it per process, is taken whole: the subject of that process' limit follows it directly.

import type { Limit, LimitTier } from '../../../resilience/rate-limiter.ts';

export type RateLimitKeys = {
  /** The record of a requests limit; the other kinds add a suffix. */
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

/** The part that processes with different whole prefixes share: the prefix of all records but the limits. */
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

/** The dispatcher's admissions and the calls made are two counts and must not share a key. */
function wholeStarts(prefix: string): Record<LimitTier, string> {
  const base = commonPrefix(prefix);
  const starts = { organization: `${prefix}org:`, key: `${prefix}key:` };
  if (prefix.endsWith('dispatcher:ratelimit:'))
    return { ...starts, provider: `${base}worker:ratelimit:`, dispatcher: prefix };
  if (prefix.endsWith('worker:ratelimit:'))
    return { ...starts, provider: prefix, dispatcher: `${base}dispatcher:ratelimit:` };
  return { ...starts, provider: prefix, dispatcher: `${prefix}dispatcher:` };
}
