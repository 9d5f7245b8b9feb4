// Reset headers of the dimension that is used up. Every answer carries the resets of all dimensions, so a
// reset counts only where that dimension's remainder is 0; sentinels (a remainder of -1) never do. When
// several are used up the last reset is the one that lets a request through.

import type { HeaderFields } from './header-fields.ts';
import { durationOrMoment, isStated, type Wait } from './wait.ts';

export function exhaustedReset(headers: HeaderFields): Wait {
  const subscription = subscriptionReset(headers);
  if (subscription !== undefined) return subscription;
  const waits = [...headers].map(([name, value]) => resetOf(headers, name, value)).filter(isStated);
  return {
    retryAfterMs: latest(waits.map((wait) => wait.retryAfterMs)),
    resetAt: latest(waits.map((wait) => wait.resetAt)),
  };
}

/** The plan behind a subscription is used up, though status and body may say something milder or nothing. */
export function isSubscriptionRejected(headers: HeaderFields): boolean {
  return headers.get('anthropic-ratelimit-unified-status') === 'rejected';
}

/** The dimension that is used up counts by the day, so its name says. */
export function isDayExhausted(headers: HeaderFields): boolean {
  return [...headers].some(
    ([name, value]) => value === '0' && /ratelimit.{0,12}remaining.{0,12}day$/.test(name),
  );
}

const CLAIM_WINDOWS: Readonly<Record<string, string>> = { five_hour: '5h', seven_day: '7d' };

function subscriptionReset(headers: HeaderFields): Wait | undefined {
  if (!isSubscriptionRejected(headers)) return undefined;
  const prefix = 'anthropic-ratelimit-unified';
  const claim = CLAIM_WINDOWS[headers.get(`${prefix}-representative-claim`) ?? ''];
  const rejected = ['5h', '7d'].find(
    (span) => headers.get(`${prefix}-${span}-status`) === 'rejected',
  );
  const reset =
    headers.get(`${prefix}-reset`) ??
    headers.get(`${prefix}-${claim ?? rejected}-reset`) ??
    headers.get(`${prefix}-${rejected}-reset`);
  return reset === undefined ? {} : durationOrMoment(reset);
}

function resetOf(headers: HeaderFields, name: string, value: string): Wait {
  if (name.includes('ratelimit') && name.includes('remaining')) {
    const reset = value === '0' ? headers.get(name.replace('remaining', 'reset')) : undefined;
    return reset === undefined ? {} : durationOrMoment(reset);
  }
  if (name.startsWith('x-codex-') && name.endsWith('-used-percent') && Number(value) >= 100) {
    const span = name.slice(0, -'used-percent'.length);
    const seconds = headers.get(`${span}reset-after-seconds`);
    const moment = headers.get(`${span}reset-at`);
    return {
      ...(seconds === undefined ? {} : durationOrMoment(seconds)),
      ...(moment === undefined ? {} : durationOrMoment(moment)),
    };
  }
  const isLoneReset = /^(?:x-)?ratelimit-reset$/.test(name);
  const hasRemainder = headers.has(name.replace('reset', 'remaining'));
  return isLoneReset && !hasRemainder ? durationOrMoment(value) : {};
}

function latest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
