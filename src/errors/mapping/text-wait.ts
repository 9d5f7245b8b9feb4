// Waits that are told in words: `Please try again in 1m26.4s`, `retry after 30 seconds`, `reset after 8h44m7s`,
// `regain access on 2026-04-01 at 00:00 UTC`, `limit reached|1754636400`. Only what the server says counts: a
// client's own back-off (`Retrying in 4 seconds`) and elapsed time (`timed out after 30 s`) are not waits.

import { type DurationMatch, parseDuration, readDurationAt } from './duration.ts';
import { epochMs, findIsoMoment } from './moment.ts';
import { findWallClock, type SaidAt } from './wall-clock.ts';

export function durationInText(text: string): number | undefined {
  DURATION_ANCHOR.lastIndex = 0;
  while (DURATION_ANCHOR.exec(text) !== null) {
    const duration: DurationMatch | undefined = readDurationAt(text, DURATION_ANCHOR.lastIndex);
    if (duration !== undefined) return duration.ms;
  }
  const quotedHeader = QUOTED_HEADER.exec(text);
  return quotedHeader === null ? undefined : parseDuration(quotedHeader[1] ?? '');
}

export function momentInText(text: string, saidAt: SaidAt): number | undefined {
  return epochInText(text) ?? isoInText(text) ?? findWallClock(text, saidAt);
}

// Each alternative is literal and the optional parts are single, so nothing can be tried twice.
const DURATION_ANCHOR =
  /(?:\b(?:again|retry|retry[-_]after|wait|available|allowed|resets?|refresh(?:es)?|renews?|resumes?|back|expires?|cooldown|ready)|请在|请等待|等待)(?: (?:in|after|for|within|is|of))?:? ?(?:about |approximately |around |at least |another |~ ?)?(?=\d|an? |one )/gi;

/** `(retry-after: 12)`, `retry_after=7.5`: the header as somebody printed it, in seconds. */
const QUOTED_HEADER = /\bretry[-_]after["']?[:=] ?["']?(\d{1,9}(?:\.\d{1,9})?)(?![\w.])/i;

const EPOCH = /(?:\||\breset[a-z_ -]{0,12}[:=]? ?"?)(\d{10}(?:\d{3})?)(?!\d)/i;
const ISO_ANCHOR =
  /\b(?:reset|again|access|available|until|after|renew|resume|expire|retry|refresh)/i;

function epochInText(text: string): number | undefined {
  const match = EPOCH.exec(text);
  return match === null ? undefined : epochMs(Number(match[1]));
}

function isoInText(text: string): number | undefined {
  const anchor = ISO_ANCHOR.exec(text);
  return anchor === null ? undefined : findIsoMoment(text.slice(anchor.index));
}
