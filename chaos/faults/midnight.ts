// The end of an organisation's month, made to come at a moment of the row's choice: how far ahead the clocks of its processes
// must be, and which month each side of that moment is. Pure but for the waiting.

import { setTimeout as sleep } from 'node:timers/promises';
import { calendarMonth } from '../../src/kernel/calendar-month.ts';

export type Midnight = {
  /** When it comes, on the machine's own clock, which is also the provider's. */
  readonly at: number;
  /** By how much the processes' clocks are ahead of that. */
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

/** Until so long after it, or before it when that is negative. It fails when that moment has passed already. */
export async function untilMidnight(
  { at }: Midnight,
  afterMs: number,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = at + afterMs - Date.now();
  if (waitMs < 0) throw new Error('Midnight came too early: the processes took too long to start');
  await sleep(waitMs, undefined, { signal });
}
