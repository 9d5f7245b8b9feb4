// A calendar month in a time zone: the period of a budget. Its number (202611) identifies it even if the organisation
// changes its zone during the month; its ends are timestamps. Consecutive months have no gap and no overlap, whatever
// daylight saving does at midnight.

export type CalendarMonth = {
  /** Year and month as one number, e.g. 202611. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly startsAt: number;
  /** Exclusive: the first moment of the next month. */
  readonly endsAt: number;
};

/** Throws a RangeError for a zone that does not exist. */
export function calendarMonth(at: number, timeZone: string): CalendarMonth {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const month = monthOf(local.toPlainDate().toPlainYearMonth(), timeZone);
  // Clocks that fall back over midnight show the last day of a month again after the next has begun.
  if (at < month.endsAt) return month;
  return monthOf(local.toPlainDate().toPlainYearMonth().add({ months: 1 }), timeZone);
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

/** The time zone database has about 600 names. */
const MAX_ZONES = 1000;

function monthOf(month: Temporal.PlainYearMonth, timeZone: string): CalendarMonth {
  return Object.freeze({
    number: month.year * 100 + month.month,
    startsAt: firstMoment(month, timeZone),
    endsAt: firstMoment(month.add({ months: 1 }), timeZone),
  });
}

/** Where daylight saving skips midnight the day begins later; where it repeats midnight the first one counts. */
function firstMoment(month: Temporal.PlainYearMonth, timeZone: string): number {
  return month.toPlainDate({ day: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
}
