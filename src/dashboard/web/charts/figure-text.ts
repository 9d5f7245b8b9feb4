// Figures as short text: counts, money, durations and times, the same on every page. Times are in the viewer's time zone;
// a caller passes `timeZone` where a fixed one is needed (tests).

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const rate = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const compactDollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
});

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function countText(value: number): string {
  return Math.abs(value) < 10_000 ? count.format(value) : compact.format(value);
}

/** A rate keeps one decimal below ten, so that "0.4 per minute" does not read as zero. */
export function rateText(value: number): string {
  return Math.abs(value) < 10 ? rate.format(value) : countText(value);
}

export function percentText(fraction: number): string {
  const percent = fraction * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${Math.abs(percent) < 10 ? rate.format(percent) : count.format(percent)} %`;
}

/** Amounts below a cent keep two significant digits: a request's cost must not read as $0.00. */
export function moneyText(usd: number): string {
  const size = Math.abs(usd);
  if (size >= 100_000) return compactDollars.format(usd);
  if (size === 0 || size >= 0.01) return dollars.format(usd);
  if (size < 0.000001) return usd < 0 ? '−< $0.000001' : '< $0.000001';
  return `${usd < 0 ? '-' : ''}$${size.toFixed(Math.min(8, 1 - Math.floor(Math.log10(size))))}`;
}

/** A duration with its two largest units: `340 ms`, `1.2 s`, `4 min 12 s`, `3 h 5 min`, `2 d 4 h`. */
export function durationText(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms < 1) return '0 ms';
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return twoUnits(ms, MINUTE_MS, 'min', SECOND_MS, 's');
  if (ms < DAY_MS) return twoUnits(ms, HOUR_MS, 'h', MINUTE_MS, 'min');
  return twoUnits(ms, DAY_MS, 'd', HOUR_MS, 'h');
}

/** A countdown as a clock: `0:09`, `4:12`, `1:05:09`; from a day on `2 d 4 h`. Rounds up, so that zero means over. */
export function countdownText(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / SECOND_MS));
  if (seconds >= DAY_MS / SECOND_MS) return durationText(seconds * SECOND_MS);
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const tail = `${hours > 0 ? pad(minutes) : minutes}:${pad(rest)}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

export function clockText(atMs: number, timeZone?: string): string {
  return timeFormat('second', timeZone).format(atMs);
}

export function minuteText(atMs: number, timeZone?: string): string {
  return timeFormat('minute', timeZone).format(atMs);
}

/** Day and month: `14 Nov`. */
export function dayText(atMs: number, timeZone?: string): string {
  return timeFormat('day', timeZone).format(atMs);
}

/** The exact time, for hovers and labels: `14 Nov 2026, 14:20:05`. */
export function exactTimeText(atMs: number, timeZone?: string): string {
  return timeFormat('exact', timeZone).format(atMs);
}

/** The time alone if it is within half a day of now, else with its day: "until 14:20:05", "until 3 Dec, 14:20". */
export function nearTimeText(atMs: number, nowMs: number, timeZone?: string): string {
  if (Math.abs(atMs - nowMs) < 12 * HOUR_MS) return clockText(atMs, timeZone);
  return `${dayText(atMs, timeZone)}, ${minuteText(atMs, timeZone)}`;
}

const FORMATS = {
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  minute: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  exact: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are cached, because building one costs more than a hundred uses. */
function timeFormat(name: keyof typeof FORMATS, timeZone: string | undefined): Intl.DateTimeFormat {
  const key = `${name} ${timeZone ?? ''}`;
  const kept = formats.get(key);
  if (kept) return kept;
  const zone = timeZone === undefined ? {} : { timeZone };
  const made = new Intl.DateTimeFormat('en-GB', { ...FORMATS[name], ...zone });
  formats.set(key, made);
  return made;
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string) {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms - whole * large) / small);
  return rest === 0 ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
