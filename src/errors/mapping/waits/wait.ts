// A stated wait: a length of time, a moment, or nothing. Which of the two a value is, its form tells.

import { parseDuration } from './duration.ts';
import { parseMoment } from './moment.ts';

export type Wait = {
  readonly retryAfterMs?: number | undefined;
  readonly resetAt?: number | undefined;
};

export const NO_WAIT: Wait = Object.freeze({});

/** `42`, `1.5s`, `Wed, 21 Oct 2026 07:28:00 GMT`, `1754636400`: every such header is seen with each of them. */
export function durationOrMoment(value: string | number): Wait {
  const resetAt = parseMoment(value);
  if (resetAt !== undefined) return { resetAt };
  return { retryAfterMs: parseDuration(String(value)) };
}
