// A clock that a test moves by hand. Timers fire in order of their due time, each at its own moment.

import type { Clock } from '../../src/kernel/clock.ts';

export type TestClock = Clock & {
  /** Moves time forward and runs what falls due, letting promises settle between timers. */
  advance(ms: number): Promise<void>;
  /** Moves time at once: whatever falls due on the way fires afterwards, as after a long sleep. */
  jump(ms: number): Promise<void>;
  pendingTimers(): number;
};

type Timer = { dueAt: number; sequence: number; fn: () => void };

export function createTestClock(
  startAt = Date.UTC(2026, 0, 15, 12),
  random = () => 0.5,
  /** Waits for what timers have set going; more than a turn of the event loop where a real server is asked. */
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

/** A clock whose timers a test can stop for good, as the death of a process does. */
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
