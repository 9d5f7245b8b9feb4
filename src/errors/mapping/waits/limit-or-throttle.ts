// Distinguishes a limit (come back after the reset) from a throttle (wait it out). The named window decides
// first, then the stated delay, then the text. Exhausted money is always a limit.

import type { Meaning } from '../meaning/meanings.ts';
import type { QuotaWindow } from './quota-window.ts';
import type { Wait } from './wait.ts';

export function limitOrThrottle(
  meaning: Meaning,
  window: QuotaWindow,
  wait: Wait,
  now: number | undefined,
): Meaning {
  const waitMs = wait.retryAfterMs ?? (meaning === 'throttle' ? untilReset(wait, now) : undefined);
  if (window.hasUnreliableDelay) return 'limit';
  if (window.isLong) return waitMs !== undefined && waitMs <= SHORT_WAIT_MS ? 'throttle' : 'limit';
  if (window.isShort) return 'throttle';
  if (waitMs === undefined) return meaning;
  return waitMs <= SHORT_WAIT_MS ? 'throttle' : 'limit';
}

/** The boundary that Google's clients draw between retrying and giving up. */
const SHORT_WAIT_MS = 300_000;

// A distant reset turns a throttle into a limit. A near or past reset does not turn a limit into a throttle:
// an exhausted plan stays exhausted until its reset, and the message may be read much later.
function untilReset(wait: Wait, now: number | undefined): number | undefined {
  if (wait.resetAt === undefined || now === undefined) return undefined;
  return Math.max(0, wait.resetAt - now);
}
