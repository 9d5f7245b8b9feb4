// How long to wait, as the provider states it: a duration, a moment, or both. Sources in order of trust:
// retry-after-ms, retry-after, fields of the body, the reset header of the exhausted dimension, text. The
// first source that states a duration gives the duration, the first that states a moment the moment.

import type { HeaderFields } from '../header-fields.ts';
import type { Reading, StatedWait } from '../reading.ts';
import { parseDuration, plausibleMs } from './duration.ts';
import { parseMoment } from './moment.ts';
import { exhaustedReset } from './reset-headers.ts';
import { waitInText } from './text-wait.ts';
import { durationOrMoment, NO_WAIT, type Wait } from './wait.ts';
import type { SaidAt } from './wall-clock.ts';

export function statedWait(
  { headers, waits, text }: Reading,
  waitEnds: readonly number[],
  saidAt: SaidAt,
): Wait {
  let wait = headers.size === 0 ? NO_WAIT : fromRetryHeaders(headers);
  for (const field of waits) wait = completed(wait, fromField(field));
  if (headers.size > 0) wait = completed(wait, exhaustedReset(headers));
  return waitInText(text, waitEnds, wait, saidAt);
}

function completed(wait: Wait, next: Wait): Wait {
  if (next === NO_WAIT) return wait;
  return {
    retryAfterMs: wait.retryAfterMs ?? next.retryAfterMs,
    resetAt: wait.resetAt ?? next.resetAt,
  };
}

function fromRetryHeaders(headers: HeaderFields): Wait {
  const inMs =
    headers.get('retry-after-ms') ??
    headers.get('x-ms-retry-after-ms') ??
    headers.get('x-retry-after-ms');
  const inSeconds = headers.get('retry-after') ?? headers.get('x-retry-after');
  const exact = inMs === undefined ? NO_WAIT : { retryAfterMs: parseDuration(inMs, 1) };
  return inSeconds === undefined ? exact : completed(exact, durationOrMoment(inSeconds));
}

function fromField({ unit, value }: StatedWait): Wait {
  // The year 1970 stands for a moment that nobody knows.
  if (unit === 'moment') return Number(value) === 0 ? NO_WAIT : durationOrMoment(value);
  const unitMs = unit === 'milliseconds' ? 1 : 1_000;
  // A date, or a bare number above a billion, is a moment under a duration's name.
  if (typeof value === 'string') {
    const retryAfterMs = parseDuration(value, unitMs);
    return retryAfterMs === undefined ? { resetAt: parseMoment(value) } : { retryAfterMs };
  }
  return value >= 1e9
    ? { resetAt: parseMoment(value) }
    : { retryAfterMs: plausibleMs(value * unitMs) };
}
