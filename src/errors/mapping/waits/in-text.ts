// Waits stated in text: `Please try again in 1m26.4s`, `retry after 30 seconds`, `reset after 8h44m7s`,
// `regain access on 2026-04-01 at 00:00 UTC`, `limit reached|1754636400`. Only positions after a wait word
// are read. A client's own back-off (`Retrying in 4 seconds`) and elapsed time (`timed out after 30 s`) are
// not waits.

import { parseDuration, plausibleMs, readDurationAt } from './duration.ts';
import { epochMs, readIsoAt } from './instant.ts';
import type { Wait } from './wait.ts';
import { readWallClockAt, type StatedAt } from './wall-clock.ts';

/** Phrases for the scanner, which reports where they end. */
export const WAIT_WORDS: readonly string[] = [
  'again',
  'retry',
  'wait',
  'available',
  'allowed',
  'access',
  'reset',
  'resets',
  'refresh',
  'refreshes',
  'refreshed',
  'renew',
  'renews',
  'renewed',
  'resume',
  'resumes',
  'replenishes',
  'replenished',
  'restored',
  'lifted',
  'back',
  'until',
  'expires',
  'cooldown',
  'ready',
  '*请在*',
  '*等待*',
  '*将在*',
  '*将于*',
];

/** Completes the wait from headers and fields with the text's. */
export function waitInText(
  text: string,
  waitEnds: readonly number[],
  known: Wait,
  statedAt: StatedAt,
): Wait {
  if (waitEnds.length === 0 && !text.includes('|')) return known;
  let { retryAfterMs } = known;
  let instant = known.resetAt === undefined ? epochBehindBar(text) : known;
  for (const end of waitEnds) {
    if (retryAfterMs !== undefined && instant !== undefined) break;
    const start = endOfLead(text, end);
    if (!startsWith(STATED, text, start)) continue;
    const lead = text.slice(end, start);
    retryAfterMs ??= countdownAt(text, start, lead);
    if (instant === undefined && startsWith(INSTANT, text, start)) {
      instant = readInstantAt(statementAt(text, start), statedAt);
    } else if (retryAfterMs === undefined && startsWith(DURATION, text, start)) {
      const here = statementAt(text, start);
      retryAfterMs = readDurationAt(here, 0)?.ms ?? printedHeader(here, lead);
    }
  }
  return { retryAfterMs, resetAt: instant?.resetAt };
}

/** `812ms`, `an hour`, `five minutes`. */
const DURATION =
  /\d|(?:half\san?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty)\s/iy;

/** `in 00:12:30` is a duration, though it looks like a time of day. */
function countdownAt(text: string, start: number, lead: string): number | undefined {
  if (!SPAN_LEAD.test(lead)) return undefined;
  COUNTDOWN.lastIndex = start;
  const [, hours, minutes, seconds] = COUNTDOWN.exec(text) ?? [];
  if (hours === undefined) return undefined;
  return plausibleMs(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000);
}

const SPAN_LEAD = /\b(?:in|after|for)[:\s]{1,3}$/i;
const COUNTDOWN = /(\d{1,3}):(\d\d):(\d\d)(?![\d:])/y;

/** `3pm`, `midnight`, `15:00`, `2026-04-01`, `1754636400`, `15 March`, `Oct 6`, `Thursday`, `tomorrow`. */
const INSTANT =
  /\d{1,2}(?::\d\d|\s?[ap]\.?m\b)|\d{4}-\d\d|\d{10}|(?:\d{1,2}(?:st|nd|rd|th)?\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|sun|mon|tue|wed|thu|fri|sat|to(?:day|morrow)|midnight|noon/iy;

/** Either of them: most wait words state no time (`try again later`), and one test finds out. */
const STATED = new RegExp(`${DURATION.source}|${INSTANT.source}`, 'iy');

function startsWith(pattern: RegExp, text: string, start: number): boolean {
  pattern.lastIndex = start;
  return pattern.test(text);
}

// Terminals and log files break lines anywhere, even inside a time.
function statementAt(text: string, start: number): string {
  return text.slice(start, start + MAX_STATEMENT).replaceAll(/\s+/g, ' ');
}

const MAX_STATEMENT = 80;

/**
 * A stated instant. Without a zone or the current time it has no epoch, and a later statement cannot supply
 * one.
 */
type StatedInstant = { readonly resetAt: number | undefined };

function readInstantAt(text: string, statedAt: StatedAt): StatedInstant | undefined {
  const epoch = EPOCH_HERE.exec(text);
  const resetAt = epoch === null ? readIsoAt(text, 0) : epochMs(Number(epoch[0]));
  return resetAt === undefined ? readWallClockAt(text, 0, statedAt) : { resetAt };
}

// The text allowed between the wait word and the time. Every repetition is bounded.
const LEAD =
  /["')]{0,2}(?: (?:your|the|this) request)?(?:[-_\s]{1,3}(?:again|in|after|for|within|is|of|at(?! least)|on|by|daily)\b){0,3}["']?[:=]?\s{0,3}["']?(?:about |approximately |around |roughly |at least |up to |another |~ ?)?/iy;

function endOfLead(text: string, start: number): number {
  LEAD.lastIndex = start;
  return LEAD.test(text) ? LEAD.lastIndex : start;
}

/** `(retry-after: 12)`, `retry_after=7.5`: the header printed in a message, in seconds. */
function printedHeader(text: string, lead: string): number | undefined {
  if (!/[-_]after["']?[:=]/i.test(lead)) return undefined;
  const match = BARE_NUMBER.exec(text);
  return match === null ? undefined : parseDuration(match[0]);
}

const BARE_NUMBER = /^\d{1,9}(?:\.\d{1,9})?(?![\w.])/;
const EPOCH_HERE = /^\d{10}(?:\d{3})?(?!\d)/;
const EPOCH_BEHIND_BAR = /\|(\d{10}(?:\d{3})?)(?!\d)/;

function epochBehindBar(text: string): StatedInstant | undefined {
  const match = text.includes('|') ? EPOCH_BEHIND_BAR.exec(text) : null;
  return match === null ? undefined : { resetAt: epochMs(Number(match[1])) };
}
