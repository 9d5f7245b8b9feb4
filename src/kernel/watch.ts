// One coarse timer for many waiting things. A timer of its own for every request would cost more than the
// clock it keeps; here joining and leaving is one set operation, and the tick runs only while somebody waits.

import type { CancelTimer, Clock } from './clock.ts';

export type Watched = {
  /** Called every tick with `clock.monotonic()`; it may leave the watch or end itself here. */
  check(nowMs: number): void;
};

export type Watch = {
  join(watched: Watched): void;
  leave(watched: Watched): void;
  readonly size: number;
  close(): void;
};

export function createWatch(clock: Clock, tickMs = 250): Watch {
  const waiting = new Set<Watched>();
  let cancelTick: CancelTimer | undefined;

  function tick(): void {
    cancelTick = undefined;
    const now = clock.monotonic();
    for (const watched of waiting) watched.check(now);
    schedule();
  }

  function schedule(): void {
    if (!cancelTick && waiting.size > 0) cancelTick = clock.after(tickMs, tick);
  }

  return {
    join(watched) {
      waiting.add(watched);
      schedule();
    },
    leave: (watched) => void waiting.delete(watched),
    get size() {
      return waiting.size;
    },
    close() {
      cancelTick?.();
      waiting.clear();
    },
  };
}
