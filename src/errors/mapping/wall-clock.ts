// Resets told as a person would tell them: `resets 3pm (America/New_York)`, `Jul 31, 2am (UTC)`,
// `Thursday at 12am`, `at 23:00`, `Feb 23rd, 2026 9:01 AM`, `2026-09-04 19:01:25`. They need the moment they
// were said at, and a zone: the one in brackets, else the caller's. Without them there is no instant, and
// guessing one would be worse than none.

import { isTimeZone } from '../locale.ts';
import { instantOf, type LocalTime, localTimeAt } from './zoned-time.ts';

export type SaidAt = { readonly now?: number; readonly timeZone?: string };

export function findWallClock(text: string, saidAt: SaidAt): number | undefined {
  ANCHOR.lastIndex = 0;
  for (let anchor = ANCHOR.exec(text); anchor !== null; anchor = ANCHOR.exec(text)) {
    const reset = readResetAt(text, ANCHOR.lastIndex);
    if (reset !== undefined) return toInstant(reset, saidAt);
  }
  return undefined;
}

type WallClock = {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  readonly weekday?: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly zone?: string;
};

const ANCHOR =
  /(?:\b(?:resets?|again|access|available|renews?|refresh(?:es)?|until|resumes?|back)|重置|恢复)(?: (?:at|on|by|is))? ?/gi;

const DATE =
  /(?:(\d{4})-(\d\d)-(\d\d)|(?:(sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6},? ?)?(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?)?)(?:,| at|T)? ?(?:at )?/iy;
const TIME = /(\d{1,2})(?::(\d\d))?(?::(\d\d))?(?: ?([ap])\.?m\b\.?)?/iy;
const ZONE = / ?\(([A-Za-z][\w+/-]{1,63})\)| (UTC|GMT)\b/y;

const WEEKDAYS = 'sunmontuewedthufrisat';
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

function readResetAt(text: string, start: number): WallClock | undefined {
  DATE.lastIndex = start;
  const date = DATE.exec(text);
  const afterDate = date === null ? start : DATE.lastIndex;
  const hasDay = date?.[1] !== undefined || date?.[4] !== undefined || date?.[5] !== undefined;
  const time = readTime(text, afterDate, hasDay);
  if (time === undefined && !hasDay) return undefined;
  ZONE.lastIndex = time?.end ?? afterDate;
  const zone = ZONE.exec(text);
  return {
    ...dayOf(date),
    hour: time?.hour ?? 0,
    minute: time?.minute ?? 0,
    second: time?.second ?? 0,
    zone: zone?.[1] ?? zone?.[2],
  };
}

type Time = { hour: number; minute: number; second: number; end: number };

// `resets 3` says nothing, `resets 3pm` and `resets 15:00` do.
function readTime(text: string, start: number, hasDay: boolean): Time | undefined {
  TIME.lastIndex = start;
  const match = TIME.exec(text);
  if (match === null || (match[2] === undefined && match[4] === undefined)) return undefined;
  const [hours, minute, second] = match.slice(1, 4).map((part) => Number(part ?? 0));
  const half = match[4]?.toLowerCase();
  const hour = half === undefined ? hours : ((hours ?? 0) % 12) + (half === 'p' ? 12 : 0);
  if (hour === undefined || minute === undefined || second === undefined) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || (half !== undefined && (hours ?? 0) > 12)) {
    return hasDay ? { hour: 0, minute: 0, second: 0, end: start } : undefined;
  }
  return { hour, minute, second, end: TIME.lastIndex };
}

function dayOf(date: RegExpExecArray | null): Partial<WallClock> {
  if (date?.[1] !== undefined) {
    return { year: Number(date[1]), month: Number(date[2]), day: Number(date[3]) };
  }
  if (date?.[5] !== undefined) {
    const month = MONTHS.indexOf(date[5].toLowerCase()) / 3 + 1;
    const year = date[7] === undefined ? {} : { year: Number(date[7]) };
    return { month, day: Number(date[6]), ...year };
  }
  if (date?.[4] === undefined) return {};
  return { weekday: WEEKDAYS.indexOf(date[4].toLowerCase()) / 3 };
}

function toInstant(reset: WallClock, saidAt: SaidAt): number | undefined {
  const zone = isTimeZone(reset.zone) ? reset.zone : saidAt.timeZone;
  if (!isTimeZone(zone)) return undefined;
  const { year, month, day } = reset;
  if (month !== undefined && day !== undefined && (month > 12 || day > 31)) return undefined;
  if (year !== undefined && month !== undefined && day !== undefined) {
    return instantOf({ ...reset, year, month, day }, zone);
  }
  if (saidAt.now === undefined || !Number.isFinite(saidAt.now)) return undefined;
  return nextOccurrence(reset, saidAt.now, zone);
}

/**
 * A time of day or a weekday is the next such one. A date without a year is the nearest such date: resets
 * lie weeks ahead at most, so yesterday's date is a stale message and not eleven months of waiting.
 */
function nextOccurrence(reset: WallClock, now: number, zone: string): number | undefined {
  const today = localTimeAt(now, zone);
  const { month, day } = reset;
  if (month === undefined || day === undefined) {
    return upcomingDays(reset, today)
      .map((date) => instantOf({ ...reset, ...date }, zone))
      .find((instant) => instant >= now);
  }
  const years = [today.year - 1, today.year, today.year + 1];
  const instants = years.map((year) => instantOf({ ...reset, year, month, day }, zone));
  return instants.toSorted((a, b) => Math.abs(a - now) - Math.abs(b - now))[0];
}

type Day = Pick<LocalTime, 'year' | 'month' | 'day'>;

// Date.UTC carries day 32 into the next month, so adding days needs no calendar of our own.
function upcomingDays({ weekday }: WallClock, today: Day & { weekday: number }): Day[] {
  const ahead = weekday === undefined ? 0 : (weekday - today.weekday + 7) % 7;
  const step = weekday === undefined ? 1 : 7;
  const { year, month, day } = today;
  return [ahead, ahead + step].map((days) => ({ year, month, day: day + days }));
}
