// Describes a reset time relative to the reader: minutes while it is near, else a clock time, with the day if
// it is not today in the reader's zone. The catalogues hold the sentences.

import { DEFAULT_TIME_ZONE, type Locale } from './locale.ts';

/** The assumed duration of a usage limit without a stated end: calls stop for as long, and callers are advised to. */
export const UNSTATED_LIMIT_MS = 300_000;

export type ResetTiming =
  | { readonly timing: 'minutes'; readonly minutes: number }
  | (ClockTime & { readonly timing: 'today' })
  | (ClockTime & { readonly timing: 'day'; readonly day: string })
  | { readonly timing: 'now' }
  | { readonly timing: 'unknown' };

/** `hour` accompanies the time because some languages use the singular for one o'clock. */
type ClockTime = { readonly time: string; readonly hour: number };

export function resetTiming(
  resetTime: unknown,
  reader: { readonly locale: Locale; readonly timeZone: string; readonly now: number },
): ResetTiming {
  if (!isInstant(resetTime) || !isInstant(reader.now)) return { timing: 'unknown' };
  const waitMs = resetTime - reader.now;
  if (waitMs <= 0) return { timing: 'now' };
  if (waitMs < HOUR_MS) return { timing: 'minutes', minutes: Math.ceil(waitMs / MINUTE_MS) };
  const format = formatsFor(reader.locale, reader.timeZone);
  const time = clockTime(format.time.format(resetTime), reader.timeZone);
  const hour = Number(format.hour.format(resetTime));
  const today = format.calendarDay.format(reader.now);
  const resetDay = format.calendarDay.format(resetTime);
  if (resetDay === today) return { timing: 'today', time, hour };
  const isSameYear = resetDay.slice(0, -6) === today.slice(0, -6);
  const day = plainSpaces((isSameYear ? format.day : format.dayOfYear).format(resetTime));
  return { timing: 'day', time, hour, day };
}

/** A number that is a valid epoch millisecond up to the year 9999; hostile and missing values are not. */
export function isInstant(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LAST_INSTANT;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
// 9999-12-31T23:59:59.999Z: later years need more than four digits.
const LAST_INSTANT = 253_402_300_799_999;
const MAX_CACHED_FORMATS = 500;

type Formats = {
  readonly time: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
  readonly dayOfYear: Intl.DateTimeFormat;
  readonly hour: Intl.DateTimeFormat;
  readonly calendarDay: Intl.DateTimeFormat;
};

// A memo: constructing a formatter costs a thousand times as much as using it.
const cache = new Map<string, Formats>();

function formatsFor(locale: Locale, timeZone: string): Formats {
  const key = `${locale} ${timeZone}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const formats = createFormats(locale, timeZone);
  if (cache.size < MAX_CACHED_FORMATS) cache.set(key, formats);
  return formats;
}

function createFormats(locale: Locale, timeZone: string): Formats {
  const day = { weekday: 'long', day: 'numeric', month: 'long', timeZone } as const;
  return {
    time: new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }),
    day: new Intl.DateTimeFormat(locale, day),
    dayOfYear: new Intl.DateTimeFormat(locale, { ...day, year: 'numeric' }),
    hour: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone }),
    calendarDay: new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone }),
  };
}

// UTC is the fallback for an unknown zone, so the reader must see that it is UTC.
function clockTime(time: string, timeZone: string): string {
  return timeZone === DEFAULT_TIME_ZONE ? `${plainSpaces(time)} UTC` : plainSpaces(time);
}

// Intl puts narrow no-break spaces before AM and PM, which terminals and old fonts show as boxes.
function plainSpaces(text: string): string {
  return text.replaceAll(/[\u00a0\u202f]/g, ' ');
}
