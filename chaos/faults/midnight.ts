// Places the end of an organisation's month at a time of the row's choice: the clock offset its processes need, and the
// month on either side. Pure except for the wait.

import { setTimeout as sleep } from 'node:timers/promises';
import { calendarMonth } from '../../src/kernel/calendar/calendar-month.ts';

export type Midnight = {
  /** Midnight on the machine's clock, which is also the provider's. */
  readonly at: number;
  /** The offset of the processes' clocks from the machine's. */
  readonly aheadMs: number;
  readonly oldMonth: number;
  readonly newMonth: number;
};

/** The month that the zone has now ends at `at`. */
export function midnightAt(at: number, timeZone: string): Midnight {
  const { number: oldMonth, endsAt } = calendarMonth(at, timeZone);
  const { number: newMonth } = calendarMonth(endsAt, timeZone);
  return { at, aheadMs: endsAt - at, oldMonth, newMonth };
}

/** Waits until this long after midnight (before it when negative). Rejects if that time has passed. */
export async function untilMidnight(
  { at }: Midnight,
  afterMs: number,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = at + afterMs - Date.now();
  if (waitMs < 0) throw new Error('Midnight came too early: the processes took too long to start');
  await sleep(waitMs, undefined, { signal });
}
