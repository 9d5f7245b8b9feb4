// Over which span the exhausted limit counts, as far as the failure names it. Minutes refill while a caller
// waits; days, weeks and months do not.

import type { Reading } from './reading.ts';

export type QuotaWindow = {
  readonly isShort: boolean;
  readonly isLong: boolean;
  /** Google states a short delay with its quotas per day and of zero, and the delay is not true. */
  readonly hasUntrueDelay: boolean;
};

export const NO_WINDOW: QuotaWindow = { isShort: false, isLong: false, hasUntrueDelay: false };

export function quotaWindow(
  reading: Reading,
  isSaid: (phrase: WindowPhrase) => boolean,
): QuotaWindow {
  const ids = reading.windows.join(' ');
  const hasUntrueDelay = /per_?day/.test(ids) || /\blimit: 0\b/.test(reading.text);
  const isShort = /per_?(?:minute|second)/.test(ids) || SHORT_PHRASES.some(isSaid);
  const isLong = hasUntrueDelay || LONG_PHRASES.some(isSaid);
  return { isShort, isLong, hasUntrueDelay };
}

export const SHORT_PHRASES = [
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
] as const;

export const LONG_PHRASES = [
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
] as const;

export type WindowPhrase = (typeof SHORT_PHRASES)[number] | (typeof LONG_PHRASES)[number];
