// Keeps the hourly sums of spending up to date: the present and the last hour in every run, and the hours of the last month in
// rotation, because records of a server that could not reach the store arrive late. Every server does it; a repeated sum
// changes nothing. While the store is unavailable the next run tries again.

import type { Clock } from '../../kernel/clock.ts';
import { every, type Repetition } from '../../kernel/every.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { SpendStore } from './spend-store.ts';

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 20_000;
/** The longest month, and the day before it in any time zone. */
const ROTATION_HOURS = 33 * 24;
/** The first rotation fills the sums of a store that has none. */
const FIRST_HOURS_PER_RUN = 48;
const HOURS_PER_RUN = 2;

export function startSpendRollUp(parts: {
  readonly store: Pick<SpendStore, 'rollUpHour'>;
  readonly clock: Clock;
  readonly log: Log;
}): Repetition {
  const { store, clock, log } = parts;
  let back = 2;
  let isFirstRotation = true;

  async function rollUp(closing: AbortSignal): Promise<void> {
    const present = Math.floor(clock.now() / HOUR_MS) * HOUR_MS;
    await store.rollUpHour(present);
    await store.rollUpHour(present - HOUR_MS);
    for (let left = isFirstRotation ? FIRST_HOURS_PER_RUN : HOURS_PER_RUN; left > 0; left -= 1) {
      if (closing.aborted) return;
      await store.rollUpHour(present - back * HOUR_MS);
      back += 1;
      if (back < ROTATION_HOURS) continue;
      back = 2;
      isFirstRotation = false;
      return;
    }
  }

  const work = every(clock, INTERVAL_MS, rollUp, (cause) =>
    logFailure(log, 'spending could not be summed', cause, { level: 'warn' }),
  );
  return work;
}
