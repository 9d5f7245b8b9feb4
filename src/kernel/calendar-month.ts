// A month as the people of a time zone count it: what a budget lasts for. Its number (202611) names it for ever, also
// when the zone is changed in the middle of it; its ends are moments. Months follow one another without a gap and
// without an overlap, whatever the clocks of the zone do at midnight.

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

/** Remembers the month of each zone, so that the same month is found by comparing two numbers. */
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

/** There are some six hundred zones, with all their names. */
const MAX_ZONES = 1000;

function monthOf(month: Temporal.PlainYearMonth, timeZone: string): CalendarMonth {
  return Object.freeze({
    number: month.year * 100 + month.month,
    startsAt: firstMoment(month, timeZone),
    endsAt: firstMoment(month.add({ months: 1 }), timeZone),
  });
}

/** Where midnight is skipped, the day begins later; where it comes twice, with the first. */
function firstMoment(month: Temporal.PlainYearMonth, timeZone: string): number {
  return month.toPlainDate({ day: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
}
