// Over which span the exhausted limit counts, as far as the failure names it. Minutes refill while a caller
// waits; days, weeks and months do not.

import type { Reading } from './reading.ts';
import { isDayExhausted } from './reset-headers.ts';
import type { SaidPhrases } from './said-phrases.ts';

export type QuotaWindow = {
  readonly isShort: boolean;
  readonly isLong: boolean;
  /** Google states a short delay with its quotas per day and of zero, and the delay is not true. */
  readonly hasUntrueDelay: boolean;
};

export function quotaWindow(
  { windows, text, headers }: Reading,
  said: SaidPhrases,
  provider: string | undefined,
): QuotaWindow {
  const hasUntrueDelay = windows.some((id) => PER_DAY.test(id)) || allowsNothing(text);
  let isShort = windows.some((id) => PER_MINUTE.test(id));
  let isLong =
    hasUntrueDelay || windows.some((id) => LONG_NAME.test(id)) || isDayExhausted(headers, provider);
  for (const phrase of said.list) {
    isShort ||= SHORT.has(phrase);
    isLong ||= LONG.has(phrase);
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

const SHORT: ReadonlySet<string> = new Set(SHORT_PHRASES);
const LONG: ReadonlySet<string> = new Set(LONG_PHRASES);

const PER_DAY = /per_?day/;
const PER_MINUTE = /per_?(?:minute|second)/;
const LONG_NAME = /five_hour|seven_day|daily|weekly|monthly/;
const NOTHING_ALLOWED = /\blimit: 0\b/;

/** A plain search first: it is many times as fast on a long text. */
function allowsNothing(text: string): boolean {
  return text.includes('limit: 0') && NOTHING_ALLOWED.test(text);
}
