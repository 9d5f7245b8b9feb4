// Resets in everyday notation: `resets 3pm (America/New_York)`, `Jul 31, 2am (UTC)`, `Thursday at 12am`, `at
// 23:00`, `Feb 23rd, 2026 9:01 AM`, `2026-09-04 19:01:25`. An instant needs the time at which the message was
// received, and a zone: the one in brackets, else the caller's. Without them there is no instant; a guess
// would be worse.

import { instantOf, type LocalTime, localTimeAt } from '../../../kernel/calendar/zoned-time.ts';
import { isTimeZone } from '../../locale.ts';

/** When the message was received, and the zone of its clock times. */
export type StatedAt = { readonly now?: number; readonly timeZone?: string };

/** The reset that starts at `start`, with its instant if it has one. */
export function readWallClockAt(
  text: string,
  start: number,
  statedAt: StatedAt,
): { readonly resetAt: number | undefined } | undefined {
  const reset = readResetAt(text, start);
  return reset === undefined ? undefined : { resetAt: toInstant(reset, statedAt) };
}

type WallClock = {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  readonly weekday?: number;
  readonly daysAhead?: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly zone?: string;
};

// Four optional notations of a day: ISO, today or tomorrow, a weekday, a month and a day in either order;
// then the separator between day and time.
const DATE =
  /(?:(\d{4})-(\d\d)-(\d\d)|(today|tomorrow)|(?:(sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6},? ?)?(?:(\d{1,2})(?:st|nd|rd|th)? )?(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?(?: (\d{1,2})(?!\d|:)(?:st|nd|rd|th)?)?(?:,? (\d{4})(?!\d))?)?)(?:,| at|T)? ?(?:at )?/iy;
const TIME = /(\d{1,2})(?::(\d\d))?(?::(\d\d))?(?: ?([ap])\.?m\b\.?)?/iy;
const NAMED_TIME = /(midnight|noon)\b/iy;
const ZONE =
  / ?\(([A-Za-z+-][\w+/:-]{1,63})\)| ?((?:UTC|GMT) ?[+-]\d{1,2}(?::?\d\d)?|[+-]\d\d:?\d\d)(?![\w:])| (UTC|GMT|[ECMP][SD]?T|CES?T|[JK]ST|Eastern|Central|Mountain|Pacific)\b/y;

const WEEKDAYS = 'sunmontuewedthufrisat';
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

function readResetAt(text: string, start: number): WallClock | undefined {
  DATE.lastIndex = start;
  const day = dayOf(DATE.exec(text));
  const afterDay = day === undefined ? start : DATE.lastIndex;
  const time = readTime(text, afterDay);
  if (time === undefined && day === undefined) return undefined;
  ZONE.lastIndex = time?.end ?? afterDay;
  const zone = ZONE.exec(text);
  const { hour = 0, minute = 0, second = 0 } = time ?? {};
  return { ...day, hour, minute, second, zone: zoneOf(zone?.[1] ?? zone?.[2] ?? zone?.[3]) };
}

/** An IANA name or an offset such as `+02:00`. */
function zoneOf(zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  const [, sign, hours = '', minutes = '00'] = OFFSET.exec(zone) ?? [];
  if (sign !== undefined) return `${sign}${hours.padStart(2, '0')}:${minutes}`;
  return ABBREVIATIONS[zone] ?? zone;
}

/** `UTC+2`, `GMT-05:30`, `+0900`. No zone is more than fourteen hours from UTC. */
const OFFSET = /^(?:UTC|GMT)? ?([+-])(0?\d|1[0-4])(?::?([0-5]\d))?$/;

// Unambiguous abbreviations only: `CST` and `IST` have several meanings, and `ET` depends on the season.
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ET: 'America/New_York',
  EST: '-05:00',
  EDT: '-04:00',
  Eastern: 'America/New_York',
  CT: 'America/Chicago',
  CDT: '-05:00',
  Central: 'America/Chicago',
  MT: 'America/Denver',
  MST: '-07:00',
  MDT: '-06:00',
  Mountain: 'America/Denver',
  PT: 'America/Los_Angeles',
  PST: '-08:00',
  PDT: '-07:00',
  Pacific: 'America/Los_Angeles',
  CET: '+01:00',
  CEST: '+02:00',
  JST: '+09:00',
  KST: '+09:00',
};

type Time = { hour: number; minute: number; second: number; end: number };

// `resets 3` is not a time; `resets 3pm` and `resets 15:00` are.
function readTime(text: string, start: number): Time | undefined {
  NAMED_TIME.lastIndex = start;
  const named = NAMED_TIME.exec(text)?.[1]?.toLowerCase();
  if (named !== undefined) {
    return { hour: named === 'noon' ? 12 : 0, minute: 0, second: 0, end: NAMED_TIME.lastIndex };
  }
  TIME.lastIndex = start;
  const match = TIME.exec(text);
  if (match === null || (match[2] === undefined && match[4] === undefined)) return undefined;
  const [hours = 0, minute = 0, second = 0] = match.slice(1, 4).map((part) => Number(part ?? 0));
  const half = match[4]?.toLowerCase();
  if (hours > (half === undefined ? 23 : 12) || minute > 59 || second > 59) return undefined;
  const hour = half === undefined ? hours : (hours % 12) + (half === 'p' ? 12 : 0);
  return { hour, minute, second, end: TIME.lastIndex };
}

type Day = Pick<WallClock, 'year' | 'month' | 'day' | 'weekday' | 'daysAhead'>;

function dayOf(date: RegExpExecArray | null): Day | undefined {
  if (date === null) return undefined;
  const [, isoYear, isoMonth, isoDay, near, weekday, dayBefore, month, dayAfter, year] = date;
  if (isoYear !== undefined) {
    return { year: Number(isoYear), month: Number(isoMonth), day: Number(isoDay) };
  }
  if (near !== undefined) return { daysAhead: near.toLowerCase() === 'today' ? 0 : 1 };
  const day = dayAfter ?? dayBefore;
  if (month !== undefined && day !== undefined) {
    const number = MONTHS.indexOf(month.toLowerCase()) / 3 + 1;
    return {
      month: number,
      day: Number(day),
      ...(year === undefined ? {} : { year: Number(year) }),
    };
  }
  return weekday === undefined
    ? undefined
    : { weekday: WEEKDAYS.indexOf(weekday.toLowerCase()) / 3 };
}

function toInstant(reset: WallClock, statedAt: StatedAt): number | undefined {
  const zone = isKnownZone(reset.zone) ? reset.zone : statedAt.timeZone;
  if (!isKnownZone(zone)) return undefined;
  const { year, month, day } = reset;
  if (month !== undefined && day !== undefined && (month > 12 || day > 31)) return undefined;
  if (year !== undefined && month !== undefined && day !== undefined) {
    return instantOf({ ...reset, year, month, day }, zone);
  }
  if (statedAt.now === undefined || !Number.isFinite(statedAt.now)) return undefined;
  return nextOccurrence(reset, statedAt.now, zone);
}

/** An IANA zone, or an offset: a reset at an offset is a single instant and needs no summer-time rules. */
function isKnownZone(zone: string | undefined): zone is string {
  return isTimeZone(zone) || (zone !== undefined && OFFSET.test(zone) && /^[+-]\d\d:/.test(zone));
}

/**
 * The next occurrence of the time of day, weekday or date. A date of yesterday belongs to a stale message and
 * does not mean a year of waiting, so dates may lie one day back.
 */
function nextOccurrence(reset: WallClock, now: number, zone: string): number | undefined {
  const today = localTimeAt(now, zone);
  const { month, day } = reset;
  const hasDate = month !== undefined && day !== undefined;
  const dates = hasDate
    ? [today.year - 1, today.year, today.year + 1].map((year) => ({ year, month, day }))
    : upcomingDays(reset, today);
  const earliest = hasDate ? now - DAY_MS : now;
  const instants = dates.map((date) => instantOf({ ...reset, ...date }, zone));
  return instants.find((instant) => instant >= earliest);
}

const DAY_MS = 86_400_000;

type CalendarDay = Pick<LocalTime, 'year' | 'month' | 'day'>;

// Date.UTC carries day 32 into the next month, so adding days needs no calendar.
function upcomingDays(
  { weekday, daysAhead }: WallClock,
  today: CalendarDay & { readonly weekday: number },
): CalendarDay[] {
  const { year, month, day } = today;
  const ahead = daysAhead ?? (weekday === undefined ? 0 : (weekday - today.weekday + 7) % 7);
  const step = weekday === undefined ? 1 : 7;
  return [ahead, ahead + step].map((days) => ({ year, month, day: day + days }));
}
