// A calendar month in a time zone: the period of a budget. Its number (202611) identifies it even if the organisation
// changes its zone during the month; its ends are timestamps. Consecutive months have no gap and no overlap, even if
// daylight saving changes at midnight.

import { instantOf, localTimeAt } from './zoned-time.ts';

export type CalendarMonth = {
  /** Year and month as one number, e.g. 202611. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly startsAt: number;
  /** Exclusive: the start of the next month. */
  readonly endsAt: number;
};

/** Throws a RangeError for a zone that does not exist. */
export function calendarMonth(at: number, timeZone: string): CalendarMonth {
  const { year, month } = localTimeAt(at, timeZone);
  const shown = monthOf(year, month, timeZone);
  // Clocks that fall back over midnight show the last day of a month again after the next has begun.
  return at < shown.endsAt ? shown : monthOf(year, month + 1, timeZone);
}

/** Caches the month of each zone: a lookup within the cached month compares two numbers. */
export function createMonthCache(): (at: number, timeZone: string) => CalendarMonth {
  const known = new Map<string, CalendarMonth>();
  return (at, timeZone) => {
    const month = known.get(timeZone);
    if (month !== undefined && isWithin(month, at)) return month;
    if (known.size >= MAX_ZONES) known.clear();
    const fresh = calendarMonth(at, timeZone);
    known.set(timeZone, fresh);
    return fresh;
  };
}

export function isWithin(month: CalendarMonth, at: number): boolean {
  return at >= month.startsAt && at < month.endsAt;
}

/**
 * The number of the month in which a usage record counts: the month of its reservation, else the UTC month of its
 * creation.
 */
export function postingMonth(record: {
  readonly budgetMonth?: number | undefined;
  readonly createdAt: number;
}): number {
  return record.budgetMonth ?? cachedMonth(record.createdAt, 'UTC').number;
}

const cachedMonth = createMonthCache();

/** The time zone database has about 600 names. */
const MAX_ZONES = 1000;

/** `month` counts from 1 and may exceed 12. */
function monthOf(year: number, month: number, timeZone: string): CalendarMonth {
  const years = Math.floor((month - 1) / 12);
  return Object.freeze({
    number: (year + years) * 100 + month - 12 * years,
    startsAt: monthStart(year, month, timeZone),
    endsAt: monthStart(year, month + 1, timeZone),
  });
}

/** If daylight saving skips midnight, the day begins later; if it repeats midnight, the first one counts. */
function monthStart(year: number, month: number, timeZone: string): number {
  return instantOf({ year, month, day: 1, hour: 0, minute: 0 }, timeZone);
}
