// A wall-clock time in an IANA zone, as an instant. Where clocks jump forward the time that does not exist
// becomes the one after the jump, and where they fall back the first of the two is taken, as iCalendar and
// Temporal do by default. Uses Intl only, which every runtime of ours has.

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
  // Both readings hold when the clocks fall back: the earlier one. Neither does in a gap: the offset
  // from before the jump puts the time as far behind the jump as it was meant to be.
  const readings = [before, after].filter((ms) => ms + offsetAt(ms, timeZone) === asUtc);
  return readings.length > 0 ? Math.min(...readings) : before;
}

/** What the clock and the calendar on the wall say at an instant. */
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
const MAX_REMEMBERED_CLOCKS = 500;

// A pure memo: constructing a formatter is a thousand times dearer than using it.
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
  if (clocks.size < MAX_REMEMBERED_CLOCKS) clocks.set(timeZone, clock);
  return clock;
}
