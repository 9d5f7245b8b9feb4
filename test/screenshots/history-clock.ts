// A clock for a gateway that needs a past: it starts in the past, runs at a chosen rate, jumps over quiet times, and ends at
// the present time, from where it runs as the system's clock. Timers take their delay at the rate of the time they are set.

import { type Clock, systemClock } from '../../src/kernel/clock.ts';

export type HistoryClock = Clock & {
  /** How many times as fast as real time the clock runs. */
  setRate(rate: number): void;
  /** Moves to a time before the present, without firing the timers on the way. */
  jumpTo(atMs: number): void;
  /** Follows the system's clock from now on. */
  catchUp(): void;
};

export function createHistoryClock(startAt: number): HistoryClock {
  let rate = 1;
  let fromReal = systemClock.monotonic();
  let fromShown = startAt;
  let isPresent = false;
  const now = (): number =>
    isPresent
      ? systemClock.now()
      : Math.min(
          systemClock.now(),
          Math.floor(fromShown + (systemClock.monotonic() - fromReal) * rate),
        );

  function restart(atMs: number): void {
    fromShown = atMs;
    fromReal = systemClock.monotonic();
  }
  return {
    now,
    monotonic: now,
    random: () => systemClock.random(),
    after: (delayMs, fn) => systemClock.after(isPresent ? delayMs : delayMs / rate, fn),
    setRate(next) {
      restart(now());
      rate = next;
    },
    jumpTo: (atMs) => restart(Math.max(now(), atMs)),
    catchUp() {
      isPresent = true;
    },
  };
}
