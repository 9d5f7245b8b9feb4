// Parses absolute times as providers write them: epochs in seconds or milliseconds (by magnitude), RFC 3339,
// HTTP dates, and `2026-04-01 at 00:00 UTC`. Results are epoch milliseconds. A time without a zone is not
// absolute; wall-clock.ts parses those.

/** An epoch if the number is plausible: seconds below 1e12, milliseconds from there on. */
export function epochMs(value: number): number | undefined {
  const ms = value >= 1e12 ? value : value * 1_000;
  return ms >= EARLIEST && ms <= LATEST ? Math.ceil(ms) : undefined;
}

/** An instant from a structured value: a number, or a string that is a number, RFC 3339 or an HTTP date. */
export function parseInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return epochMs(value);
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const text = value.trim();
  if (/^\d{1,16}(?:\.\d{1,9})?$/.test(text)) return epochMs(Number(text));
  return parseIso(text) ?? parseHttpDate(text);
}

/** A zoned ISO time that starts at `start`. */
export function readIsoAt(text: string, start: number): number | undefined {
  ISO_HERE.lastIndex = start;
  const match = ISO_HERE.exec(text);
  return match === null ? undefined : fromIsoParts(match);
}

const EARLIEST = Date.UTC(2001, 8, 9);
const LATEST = Date.UTC(2100, 0, 1);

const ISO =
  /(\d{4})-(\d\d)-(\d\d)(?:T| at |,? )(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)? ?(Z|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?|UTC|GMT)(?![\w:])/;
const ISO_HERE = new RegExp(ISO.source, 'iy');
const ISO_ALONE = new RegExp(`^${ISO.source}$`, 'i');
// RFC 9110 IMF-fixdate; no provider sends the two obsolete forms.
const HTTP_DATE = /^[A-Za-z]{3}, (\d\d) ([A-Za-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

function parseIso(text: string): number | undefined {
  const match = ISO_ALONE.exec(text);
  return match === null ? undefined : fromIsoParts(match);
}

function fromIsoParts(match: RegExpExecArray): number | undefined {
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const millis = Math.ceil(Number(`0.${match[7] ?? '0'}`) * 1_000);
  const utc = utcMs(year, month, day, hour, minute, second);
  return utc === undefined ? undefined : inRange(utc + millis - offsetMs(match[8] ?? 'Z'));
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes = 0] = OFFSET.exec(zone) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes));
}

/** `+02:00`, `-0530`, `UTC+2`. */
const OFFSET = /([+-])(\d{1,2}):?(\d\d)?$/;

function parseHttpDate(text: string): number | undefined {
  const match = HTTP_DATE.exec(text);
  if (match === null) return undefined;
  const month = MONTHS.indexOf((match[2] ?? '').toLowerCase()) / 3 + 1;
  const [day, , year, hour, minute, second] = match.slice(1).map(Number);
  const utc = utcMs(year, month, day, hour, minute, second);
  return utc === undefined ? undefined : inRange(utc);
}

/** Rejects the 31st of June, which Date.UTC would silently turn into the 1st of July. */
function utcMs(year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0): number | undefined {
  if (!Number.isInteger(month) || hour > 24 || minute > 59 || second > 60) return undefined;
  const midnight = new Date(Date.UTC(year, month - 1, day));
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000;
}

function inRange(ms: number): number | undefined {
  return ms >= EARLIEST && ms <= LATEST ? ms : undefined;
}
