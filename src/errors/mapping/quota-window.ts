// Over which span the exhausted limit counts, as far as the failure names it. Minutes refill while a caller
// waits; days, weeks and months do not.

import type { Reading } from './reading.ts';
import { isDayExhausted } from './reset-headers.ts';

export type QuotaWindow = {
  readonly isShort: boolean;
  readonly isLong: boolean;
  /** Google states a short delay with its quotas per day and of zero, and the delay is not true. */
  readonly hasUntrueDelay: boolean;
};

export function quotaWindow(
  reading: Reading,
  said: ReadonlySet<string>,
  provider: string | undefined,
): QuotaWindow {
  const ids = reading.windows.join(' ');
  const hasUntrueDelay = /per_?day/.test(ids) || /\blimit: 0\b/.test(reading.text);
  const isShort =
    /per_?(?:minute|second)/.test(ids) || SHORT_PHRASES.some((phrase) => said.has(phrase));
  const isLong =
    hasUntrueDelay ||
    isDayExhausted(reading.headers, provider) ||
    LONG_PHRASES.some((phrase) => said.has(phrase));
  return { isShort, isLong, hasUntrueDelay };
}

export const SHORT_PHRASES: readonly string[] = [
  'per minute',
  'per min',
  'per second',
  'per sec',
  'min',
  'minute',
  'tpm',
  'rpm',
  'qps',
  'rps',
  'concurrent*',
  'concurrency',
];

export const LONG_PHRASES: readonly string[] = [
  'per day',
  'per week',
  'per month',
  'daily',
  'weekly',
  'monthly',
  'tpd',
  'rpd',
  'day',
  'week',
  'month',
  'free tier limit #',
];
