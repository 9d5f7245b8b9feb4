// Times as text: relative to now, and exact in the viewer's time zone with the zone's name.

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** "just now", "12 s ago", "in 4 min", "3 h ago", "2 d ago". */
export function relativeText(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 3) return 'just now';
  const text = amount(size);
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

/** `18 Nov 2026, 14:20:05 UTC+1`. */
export function exactTimeText(at: number, timeZone?: string): string {
  return exactFormat(timeZone).format(at);
}

function amount(seconds: number): string {
  if (seconds < MINUTE_S) return `${seconds} s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
  if (seconds < 2 * DAY_S) return `${Math.floor(seconds / HOUR_S)} h`;
  return `${Math.floor(seconds / DAY_S)} d`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function exactFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = formats.get(timeZone ?? '');
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  formats.set(timeZone ?? '', format);
  return format;
}
