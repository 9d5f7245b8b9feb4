// Finds the wait that a provider states: a duration, an instant, or both. Sources in order of trust:
// retry-after-ms, retry-after, body fields, the reset header of the exhausted dimension, text. The first
// source with a duration supplies the duration, the first with an instant the instant.

import type { HeaderFields } from '../reading/header-fields.ts';
import type { Reading, StatedWait } from '../reading/reading.ts';
import { parseDuration, plausibleMs } from './duration.ts';
import { waitInText } from './in-text.ts';
import { parseInstant } from './instant.ts';
import { exhaustedReset } from './reset-headers.ts';
import { durationOrInstant, NO_WAIT, type Wait } from './wait.ts';
import type { StatedAt } from './wall-clock.ts';

export function statedWait(
  { headers, waits, text }: Reading,
  waitEnds: readonly number[],
  statedAt: StatedAt,
): Wait {
  let wait = headers.size === 0 ? NO_WAIT : fromRetryHeaders(headers);
  for (const field of waits) wait = completed(wait, fromField(field));
  if (headers.size > 0) wait = completed(wait, exhaustedReset(headers));
  return waitInText(text, waitEnds, wait, statedAt);
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
  return inSeconds === undefined ? exact : completed(exact, durationOrInstant(inSeconds));
}

function fromField({ unit, value }: StatedWait): Wait {
  // Zero (the year 1970) is a placeholder for an unknown reset.
  if (unit === 'instant') return Number(value) === 0 ? NO_WAIT : durationOrInstant(value);
  const unitMs = unit === 'milliseconds' ? 1 : 1_000;
  // A date, or a bare number above a billion, is an instant in a duration field.
  if (typeof value === 'string') {
    const retryAfterMs = parseDuration(value, unitMs);
    return retryAfterMs === undefined ? { resetAt: parseInstant(value) } : { retryAfterMs };
  }
  return value >= 1e9
    ? { resetAt: parseInstant(value) }
    : { retryAfterMs: plausibleMs(value * unitMs) };
}
