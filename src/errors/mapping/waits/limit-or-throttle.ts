// A limit is something to come back for later, a throttle something to wait out. The window that is named
// decides first, then the stated delay, then the words. Money that is gone is a limit in any case.

import type { Meaning } from '../meanings.ts';
import type { QuotaWindow } from './quota-window.ts';
import type { Wait } from './wait.ts';

export function limitOrThrottle(
  meaning: Meaning,
  window: QuotaWindow,
  wait: Wait,
  now: number | undefined,
): Meaning {
  const waitMs = wait.retryAfterMs ?? (meaning === 'throttle' ? untilReset(wait, now) : undefined);
  if (window.hasUntrueDelay) return 'limit';
  if (window.isLong) return waitMs !== undefined && waitMs <= SHORT_WAIT_MS ? 'throttle' : 'limit';
  if (window.isShort) return 'throttle';
  if (waitMs === undefined) return meaning;
  return waitMs <= SHORT_WAIT_MS ? 'throttle' : 'limit';
}

/** Where patience ends; the boundary Google's own clients draw between retrying and giving up. */
const SHORT_WAIT_MS = 300_000;

// A moment far ahead makes a limit of a throttle. One that is near or past makes nothing of a limit: a plan that
// is used up stays used up in the last minutes before its reset, and a message may be read long after.
function untilReset(wait: Wait, now: number | undefined): number | undefined {
  if (wait.resetAt === undefined || now === undefined) return undefined;
  return Math.max(0, wait.resetAt - now);
}
