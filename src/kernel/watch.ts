// One coarse timer for many deadlines. A timer per request would cost more than the deadline is worth; here joining and
// leaving move an entry of an array, and the tick runs only while an entry exists. Slots are reused instead of kept in
// a Set: a busy Set leaves old hash tables behind that refer to each other, and as soon as a table is promoted to the old
// generation, every entry of the later tables survives garbage collection with it.

import type { CancelTimer, Clock } from './clock.ts';

export type Watched = {
  /** Called every tick with `clock.monotonic()` and the time since the tick before; it may call `leave`. */
  check(nowMs: number, sinceMs: number): void;
};

/** Identifies an entry for `leave`. */
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
  let lastTickMs = Number.NEGATIVE_INFINITY;

  function tick(): void {
    cancelTick = undefined;
    const now = clock.monotonic();
    const sinceMs = now - lastTickMs;
    lastTickMs = now;
    for (const watched of slots) watched?.check(now, sinceMs);
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
