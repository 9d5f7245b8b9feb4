// Parses durations as providers write them: `644ms`, `1m26.4s`, `8h44m7s`, `0.539477544s`, `42 minutes`, `2
// days 3 hours`. Results are whole milliseconds, rounded up, because a caller that returns a fraction early
// is refused again. Negative, absurd and unreadable values yield undefined.

export type DurationMatch = { readonly ms: number; readonly end: number };

/** The whole string as a duration; a bare number is in `bareUnitMs`. */
export function parseDuration(text: string, bareUnitMs = 1_000): number | undefined {
  const trimmed = text.trim();
  if (PLAIN_NUMBER.test(trimmed)) return plausibleMs(Number(trimmed) * bareUnitMs);
  const match = readDurationAt(trimmed, 0);
  return match?.end === trimmed.length ? match.ms : undefined;
}

/**
 * The longest duration that starts at `start`. Each further part is less than one unit of the part before it: what follows
 * otherwise, such as the seven days in `1 second 7 days`, is another statement, perhaps the text of a request.
 */
export function readDurationAt(text: string, start: number): DurationMatch | undefined {
  let totalMs = 0;
  let largestMs = Number.POSITIVE_INFINITY;
  let end = start;
  for (let parts = 0; parts < 6 && end < text.length; parts += 1) {
    PART.lastIndex = end;
    const part = PART.exec(text);
    const unitMs = UNIT_MS.get(part?.[2]?.toLowerCase() ?? '');
    if (part === null || unitMs === undefined) break;
    const partMs = amountOf(part[1] ?? '') * unitMs;
    if (partMs >= largestMs) break;
    totalMs += partMs;
    largestMs = unitMs;
    end = PART.lastIndex;
  }
  if (end === start) return undefined;
  const ms = plausibleMs(totalMs);
  return ms === undefined ? undefined : { ms, end };
}

/** Whole milliseconds, rounded up; undefined if negative, infinite or beyond two years. */
export function plausibleMs(ms: number): number | undefined {
  if (!(ms >= 0 && ms <= MAX_MS)) return undefined;
  if (Number.isInteger(ms)) return ms;
  // Six decimals of a millisecond are nanoseconds, the finest unit that providers state. Floating-point error
  // beyond them (18.642 × 1000 = 18642.000000000004) must not round up to another millisecond.
  return Math.ceil(Number(ms.toFixed(6)));
}

const MAX_MS = 2 * 366 * 86_400_000;
const PLAIN_NUMBER = /^\d{1,15}(?:\.\d{1,12})?$/;

// Sticky and without nested repetition: each character is visited once.
const PART =
  /,? ?(?:and )?(\d{1,3}(?:,\d{3}){1,3}(?!\d)|\d{1,12}(?:\.\d{1,12})?|(?:half )?an?(?= )|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty)(?= )) ?(milliseconds?|millis|msecs?|ms|microseconds?|[uµμ]s|ns|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|秒钟?|分钟?|小时|天)(?![a-z])/iy;

function amountOf(text: string): number {
  return SPELLED.get(text.toLowerCase()) ?? Number(text.replaceAll(',', ''));
}

/** Amounts in words: `an hour`, `half an hour`, `five minutes`. */
const SPELLED: ReadonlyMap<string, number> = new Map([
  ['a', 1],
  ['an', 1],
  ['half a', 0.5],
  ['half an', 0.5],
  ['one', 1],
  ['two', 2],
  ['three', 3],
  ['four', 4],
  ['five', 5],
  ['six', 6],
  ['seven', 7],
  ['eight', 8],
  ['nine', 9],
  ['ten', 10],
  ['twelve', 12],
  ['fifteen', 15],
  ['twenty', 20],
  ['thirty', 30],
  ['sixty', 60],
]);

const UNIT_MS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0.000001: ['ns'],
    0.001: ['us', 'µs', 'μs', 'microsecond', 'microseconds'],
    1: ['ms', 'msec', 'msecs', 'millis', 'millisecond', 'milliseconds'],
    1000: ['s', 'sec', 'secs', 'second', 'seconds', '秒', '秒钟'],
    60000: ['m', 'min', 'mins', 'minute', 'minutes', '分', '分钟'],
    3600000: ['h', 'hr', 'hrs', 'hour', 'hours', '小时'],
    86400000: ['d', 'day', 'days', '天'],
    604800000: ['w', 'week', 'weeks'],
  }).flatMap(([ms, names]) => names.map((name) => [name, Number(ms)] as const)),
);
