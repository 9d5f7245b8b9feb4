// A clock that a test advances. Timers fire in order of their due time, each at exactly that time.

import { type Clock, systemClock } from '../../src/kernel/clock.ts';

export type TestClock = Clock & {
  /** Moves time forward and fires due timers, letting promises settle between them. */
  advance(ms: number): Promise<void>;
  /** Moves time in one step: timers due on the way fire afterwards, as after a suspend. */
  jump(ms: number): Promise<void>;
  pendingTimers(): number;
};

type Timer = { dueAt: number; sequence: number; fn: () => void };

export function createTestClock(
  startAt = Date.UTC(2026, 0, 15, 12),
  random = () => 0.5,
  /**
   * Waits for work that timers started; longer than one turn of the event loop if a real server is involved.
   */
  settle = nextTurn,
): TestClock {
  let now = startAt;
  let sequence = 0;
  const timers = new Set<Timer>();

  function nextDue(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.dueAt > until) continue;
      if (
        !next ||
        timer.dueAt < next.dueAt ||
        (timer.dueAt === next.dueAt && timer.sequence < next.sequence)
      )
        next = timer;
    }
    return next;
  }

  return {
    now: () => now,
    monotonic: () => now,
    random,
    after(delayMs, fn) {
      sequence += 1;
      const timer: Timer = { dueAt: now + Math.max(0, delayMs), sequence, fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const until = now + ms;
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        now = Math.max(now, timer.dueAt);
        timers.delete(timer);
        timer.fn();
        await settle();
      }
      now = until;
      await settle();
    },
    async jump(ms) {
      now += ms;
      await this.advance(0);
    },
    pendingTimers: () => timers.size,
  };
}

/** The system's clock, which a test sets forward: expiries are due immediately, while timers and calls take their real time. */
export function createForwardClock(): Clock & { skip(ms: number): void } {
  let skippedMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + skippedMs,
    monotonic: () => systemClock.monotonic() + skippedMs,
    skip(ms) {
      skippedMs += ms;
    },
  };
}

/** A clock with timers that a test can stop permanently, as the death of a process does. */
export function mortalClock(clock: TestClock): TestClock & { die(): void } {
  let isDead = false;
  return {
    ...clock,
    after: (delayMs, fn) => clock.after(delayMs, () => (isDead ? undefined : fn())),
    die() {
      isDead = true;
    },
  };
}

/** One turn of the event loop: every promise that can settle without a timer has settled. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
