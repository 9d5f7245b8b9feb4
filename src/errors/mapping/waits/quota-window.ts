// Over which span the exhausted limit counts, as far as the failure names it. Minutes refill while a caller
// waits; days, weeks and months do not.

import type { Reading } from '../reading.ts';
import type { Phrase } from '../text/phrase-book.ts';
import { isDayExhausted } from './reset-headers.ts';

export type QuotaWindow = {
  readonly isShort: boolean;
  readonly isLong: boolean;
  /** Google states a short delay with its quotas per day and of zero, and the delay is not true. */
  readonly hasUntrueDelay: boolean;
};

export function quotaWindow(
  { windows, text, headers }: Reading,
  said: readonly Phrase[],
  provider: string | undefined,
): QuotaWindow {
  const hasUntrueDelay = isOneOf(windows, PER_DAY) || allowsNothing(text);
  let isShort = isOneOf(windows, PER_MINUTE);
  let isLong = hasUntrueDelay || isOneOf(windows, LONG_NAME) || isDayExhausted(headers, provider);
  for (const { isShortWindow, isLongWindow } of said) {
    isShort ||= isShortWindow;
    isLong ||= isLongWindow;
  }
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
];

const PER_DAY = /per_?day/;
const PER_MINUTE = /per_?(?:minute|second)/;
const LONG_NAME = /five_hour|seven_day|daily|weekly|monthly/;
const NOTHING_ALLOWED = /\blimit: 0\b/;

function isOneOf(windows: readonly string[], pattern: RegExp): boolean {
  for (const window of windows) if (pattern.test(window)) return true;
  return false;
}

/** A plain search first: it is many times as fast on a long text. */
function allowsNothing(text: string): boolean {
  return text.includes('limit: 0') && NOTHING_ALLOWED.test(text);
}
