// The window of the exhausted limit, if the failure names it. Limits per minute refill while a caller waits; limits per
// day, week or month do not.

import type { Reading } from '../reading/reading.ts';
import { isDayExhausted } from './reset-headers.ts';

export type QuotaWindow = {
  readonly isShort: boolean;
  readonly isLong: boolean;
  /** Google states a short delay with its daily and zero quotas, and that delay is wrong. */
  readonly hasUnreliableDelay: boolean;
};

/** The properties of a matched phrase that name a window. */
type WindowPhrase = { readonly isShortWindow: boolean; readonly isLongWindow: boolean };

export function quotaWindow(
  { windows, text, headers }: Reading,
  phrases: readonly WindowPhrase[],
  provider: string | undefined,
): QuotaWindow {
  const hasUnreliableDelay = isOneOf(windows, PER_DAY) || allowsNothing(text);
  let isShort = isOneOf(windows, PER_MINUTE);
  let isLong =
    hasUnreliableDelay || isOneOf(windows, LONG_NAME) || isDayExhausted(headers, provider);
  for (const { isShortWindow, isLongWindow } of phrases) {
    isShort ||= isShortWindow;
    isLong ||= isLongWindow;
  }
  return { isShort, isLong, hasUnreliableDelay };
}

export const SHORT_WINDOW_PHRASES: readonly string[] = [
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

export const LONG_WINDOW_PHRASES: readonly string[] = [
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

/** A plain substring search first: many times faster on a long text. */
function allowsNothing(text: string): boolean {
  return text.includes('limit: 0') && NOTHING_ALLOWED.test(text);
}
