// A stated wait: a duration, an instant, or neither. The form of a value decides between duration and
// instant.

import { parseDuration } from './duration.ts';
import { parseInstant } from './instant.ts';

export type Wait = {
  readonly retryAfterMs?: number | undefined;
  readonly resetAt?: number | undefined;
};

export const NO_WAIT: Wait = Object.freeze({});

/** `42`, `1.5s`, `Wed, 21 Oct 2026 07:28:00 GMT`, `1754636400`: providers send each form in each header. */
export function durationOrInstant(value: string | number): Wait {
  const resetAt = parseInstant(value);
  if (resetAt !== undefined) return { resetAt };
  return { retryAfterMs: parseDuration(String(value)) };
}
