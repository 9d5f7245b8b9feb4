// Reset headers of the exhausted dimension. Every response carries the resets of all dimensions, so a reset
// counts only if that dimension's remainder is 0; sentinels (a remainder of -1) never count. Of several
// exhausted dimensions the latest reset counts.

import type { HeaderFields } from '../reading/header-fields.ts';
import { durationOrInstant, NO_WAIT, type Wait } from './wait.ts';

export function exhaustedReset(headers: HeaderFields): Wait {
  const subscription = subscriptionReset(headers);
  if (subscription !== undefined) return subscription;
  let latest = NO_WAIT;
  for (const [name, value] of headers) {
    const wait = resetOf(headers, name, value);
    if (wait !== NO_WAIT) latest = later(latest, wait);
  }
  return latest;
}

/** The plan behind a subscription is exhausted, even if status and body say otherwise. */
export function isSubscriptionRejected(headers: HeaderFields): boolean {
  return headers.get('anthropic-ratelimit-unified-status') === 'rejected';
}

/** The exhausted dimension counts per day: by its name, or at Groq, where no name says so. */
export function isDayExhausted(headers: HeaderFields, provider: string | undefined): boolean {
  if (headers.size === 0) return false;
  for (const [name, value] of headers) {
    if (value !== '0' || !name.includes('remaining')) continue;
    if (name.endsWith('day')) return true;
    if (provider === 'groq' && name === 'x-ratelimit-remaining-requests') return true;
  }
  return false;
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
  return reset === undefined ? NO_WAIT : durationOrInstant(reset);
}

function resetOf(headers: HeaderFields, name: string, value: string): Wait {
  if (name.startsWith('x-codex-')) return codexReset(headers, name, value);
  if (name === 'ratelimit') return combinedReset(value);
  if (!/rate-?limit/.test(name)) return NO_WAIT;
  if (name.includes('remaining')) {
    const reset = value === '0' ? headers.get(name.replace('remaining', 'reset')) : undefined;
    return reset === undefined ? NO_WAIT : durationOrInstant(reset);
  }
  const isLone = LONE_RESET.test(name) && !headers.has(name.replace('reset', 'remaining'));
  return isLone ? durationOrInstant(value) : NO_WAIT;
}

const LONE_RESET = /^(?:x-)?rate-?limit-reset(?:-after)?$/;

/** One combined header, from either draft: `limit=100, remaining=0, reset=50`, `"default";r=0;t=50`. */
function combinedReset(value: string): Wait {
  const policies = value.includes('"') ? value.split(',') : [value];
  const exhausted = policies.filter((policy) => /\b(?:r|remaining)=0(?!\d)/.test(policy));
  return exhausted.reduce((latest, policy) => {
    const seconds = /\b(?:t|reset)=(\d{1,10})(?!\d)/.exec(policy)?.[1];
    return seconds === undefined ? latest : later(latest, durationOrInstant(seconds));
  }, NO_WAIT);
}

function codexReset(headers: HeaderFields, name: string, value: string): Wait {
  if (!name.endsWith('-used-percent') || Number(value) < 100) return NO_WAIT;
  const span = name.slice(0, -'used-percent'.length);
  const seconds = headers.get(`${span}reset-after-seconds`);
  const instant = headers.get(`${span}reset-at`);
  return {
    retryAfterMs: seconds === undefined ? undefined : durationOrInstant(seconds).retryAfterMs,
    resetAt: instant === undefined ? undefined : durationOrInstant(instant).resetAt,
  };
}

function later(a: Wait, b: Wait): Wait {
  return {
    retryAfterMs: latest(a.retryAfterMs, b.retryAfterMs),
    resetAt: latest(a.resetAt, b.resetAt),
  };
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
