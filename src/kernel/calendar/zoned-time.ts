// Converts a local time in an IANA zone to an instant. A time inside a daylight-saving gap moves past the gap, and a
// repeated time means its first occurrence, as in iCalendar and Temporal by default. Uses only Intl, which every
// supported runtime has.

export type LocalTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second?: number;
};

export function instantOf(local: LocalTime, timeZone: string): number {
  const asUtc = Date.UTC(
    local.year,
    local.month - 1,
    local.day,
    local.hour,
    local.minute,
    local.second ?? 0,
  );
  const before = asUtc - offsetAt(asUtc - DAY_MS, timeZone);
  const after = asUtc - offsetAt(asUtc + DAY_MS, timeZone);
  // When clocks fall back, both candidates are valid: take the earlier. Inside a gap neither is valid: the offset from
  // before the gap moves the time past the gap by the same amount.
  const readings = [before, after].filter((ms) => ms + offsetAt(ms, timeZone) === asUtc);
  return readings.length > 0 ? Math.min(...readings) : before;
}

/** The local date and time at an instant. */
export function localTimeAt(
  ms: number,
  timeZone: string,
): Required<LocalTime> & { weekday: number } {
  const shifted = new Date(ms + offsetAt(ms, timeZone));
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    weekday: shifted.getUTCDay(),
  };
}

const DAY_MS = 86_400_000;
const MAX_CACHED_CLOCKS = 500;

// A memo: constructing a formatter costs a thousand times as much as using it.
const clocks = new Map<string, Intl.DateTimeFormat>();

function offsetAt(ms: number, timeZone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of clockFor(timeZone).formatToParts(ms)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const wholeSecond = ms - (((ms % 1_000) + 1_000) % 1_000);
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecond;
}

function clockFor(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (clocks.size < MAX_CACHED_CLOCKS) clocks.set(timeZone, clock);
  return clock;
}
