// Waits that are told in words: `Please try again in 1m26.4s`, `retry after 30 seconds`, `reset after 8h44m7s`,
// `regain access on 2026-04-01 at 00:00 UTC`, `limit reached|1754636400`. They are read behind words that speak
// of waiting and nowhere else. Only what the server says counts: a client's own back-off (`Retrying in 4
// seconds`) and elapsed time (`timed out after 30 s`) are not waits.

import { parseDuration, plausibleMs, readDurationAt } from './duration.ts';
import { epochMs, readIsoAt } from './moment.ts';
import type { Wait } from './wait.ts';
import { readWallClockAt, type SaidAt } from './wall-clock.ts';

/** As phrases of the scanner, which reports where they end. */
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

/** What the text adds to the wait that headers and fields state already. */
export function waitInText(
  text: string,
  waitEnds: readonly number[],
  known: Wait,
  saidAt: SaidAt,
): Wait {
  if (waitEnds.length === 0 && !text.includes('|')) return known;
  let { retryAfterMs } = known;
  let moment = known.resetAt === undefined ? epochBehindBar(text) : known;
  for (const end of waitEnds) {
    if (retryAfterMs !== undefined && moment !== undefined) break;
    const start = endOfLead(text, end);
    if (!startsWith(STATED, text, start)) continue;
    const lead = text.slice(end, start);
    retryAfterMs ??= countdownAt(text, start, lead);
    if (moment === undefined && startsWith(MOMENT, text, start)) {
      moment = readMomentAt(statementAt(text, start), saidAt);
    } else if (retryAfterMs === undefined && startsWith(DURATION, text, start)) {
      const here = statementAt(text, start);
      retryAfterMs = readDurationAt(here, 0)?.ms ?? printedHeader(here, lead);
    }
  }
  return { retryAfterMs, resetAt: moment?.resetAt };
}

/** `812ms`, `an hour`, `five minutes`. */
const DURATION =
  /\d|(?:half\san?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty)\s/iy;

/** `in 00:12:30` is a length of time, though it looks like one of the day. */
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
const MOMENT =
  /\d{1,2}(?::\d\d|\s?[ap]\.?m\b)|\d{4}-\d\d|\d{10}|(?:\d{1,2}(?:st|nd|rd|th)?\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|sun|mon|tue|wed|thu|fri|sat|to(?:day|morrow)|midnight|noon/iy;

/** Either of them: most waits that are spoken of are not stated (`try again later`), and one look tells. */
const STATED = new RegExp(`${DURATION.source}|${MOMENT.source}`, 'iy');

function startsWith(pattern: RegExp, text: string, start: number): boolean {
  pattern.lastIndex = start;
  return pattern.test(text);
}

// Terminals and log files break lines anywhere, even inside a time.
function statementAt(text: string, start: number): string {
  return text.slice(start, start + MAX_STATEMENT).replaceAll(/\s+/g, ' ');
}

const MAX_STATEMENT = 80;

/** A moment that is told; without a zone or a now it cannot be placed, and another one will not help. */
type ToldMoment = { readonly resetAt: number | undefined };

function readMomentAt(text: string, saidAt: SaidAt): ToldMoment | undefined {
  const epoch = EPOCH_HERE.exec(text);
  const resetAt = epoch === null ? readIsoAt(text, 0) : epochMs(Number(epoch[0]));
  return resetAt === undefined ? readWallClockAt(text, 0, saidAt) : { resetAt };
}

// What may stand between the word and the time. Every repetition is bounded.
const LEAD =
  /["')]{0,2}(?: (?:your|the|this) request)?(?:[-_\s]{1,3}(?:again|in|after|for|within|is|of|at(?! least)|on|by|daily)\b){0,3}["']?[:=]?\s{0,3}["']?(?:about |approximately |around |roughly |at least |up to |another |~ ?)?/iy;

function endOfLead(text: string, start: number): number {
  LEAD.lastIndex = start;
  return LEAD.test(text) ? LEAD.lastIndex : start;
}

/** `(retry-after: 12)`, `retry_after=7.5`: the header as somebody printed it, in seconds. */
function printedHeader(text: string, lead: string): number | undefined {
  if (!/[-_]after["']?[:=]/i.test(lead)) return undefined;
  const match = BARE_NUMBER.exec(text);
  return match === null ? undefined : parseDuration(match[0]);
}

const BARE_NUMBER = /^\d{1,9}(?:\.\d{1,9})?(?![\w.])/;
const EPOCH_HERE = /^\d{10}(?:\d{3})?(?!\d)/;
const EPOCH_BEHIND_BAR = /\|(\d{10}(?:\d{3})?)(?!\d)/;

function epochBehindBar(text: string): ToldMoment | undefined {
  const match = text.includes('|') ? EPOCH_BEHIND_BAR.exec(text) : null;
  return match === null ? undefined : { resetAt: epochMs(Number(match[1])) };
}
