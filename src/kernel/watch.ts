// One coarse timer for many waiting things. A timer of its own for every request would cost more than the
// clock it keeps; here joining and leaving move an entry in an array, and the tick runs only while somebody
// waits. Slots are reused rather than kept in a Set: the tables a busy Set leaves behind refer to one another,
// and once one of them is old all that was ever in the later ones is carried along by the collector.

import type { CancelTimer, Clock } from './clock.ts';

export type Watched = {
  /** Called every tick with `clock.monotonic()`; it may leave the watch here. */
  check(nowMs: number): void;
};

/** Who has joined leaves with this. */
export type Ticket = number;

export type Watch = {
  join(watched: Watched): Ticket;
  /** Once per ticket. */
  leave(ticket: Ticket): void;
  readonly size: number;
  close(): void;
};

export function createWatch(clock: Clock, tickMs = 250): Watch {
  const slots: (Watched | undefined)[] = [];
  const free: Ticket[] = [];
  let cancelTick: CancelTimer | undefined;

  function tick(): void {
    cancelTick = undefined;
    const now = clock.monotonic();
    for (const watched of slots) watched?.check(now);
    schedule();
  }

  function schedule(): void {
    if (!cancelTick && slots.length > free.length) cancelTick = clock.after(tickMs, tick);
  }

  return {
    join(watched) {
      const ticket = free.pop() ?? slots.length;
      slots[ticket] = watched;
      schedule();
      return ticket;
    },
    leave(ticket) {
      if (slots[ticket] === undefined) return;
      slots[ticket] = undefined;
      free.push(ticket);
    },
    get size() {
      return slots.length - free.length;
    },
    close() {
      cancelTick?.();
      slots.length = 0;
      free.length = 0;
    },
  };
}
