import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createWatch, type Ticket } from './watch.ts';

test('an entry is checked every tick with the monotonic time until it leaves', async () => {
  const clock = createTestClock();
  const watch = createWatch(clock, 100);
  const seen: number[] = [];
  const start = clock.monotonic();
  const ticket = watch.join({ check: (now) => void seen.push(now - start) });
  await clock.advance(250);
  assert.deepEqual(seen, [100, 200]);
  watch.leave(ticket);
  await clock.advance(1000);
  assert.deepEqual(seen, [100, 200]);
});

test('no timer runs without an entry', async () => {
  const clock = createTestClock();
  const watch = createWatch(clock, 100);
  assert.equal(clock.pendingTimers(), 0);
  const ticket = watch.join({ check: () => {} });
  watch.join({ check: () => {} });
  assert.equal(clock.pendingTimers(), 1);
  watch.leave(ticket);
  await clock.advance(100);
  assert.equal(clock.pendingTimers(), 1);
  watch.close();
  assert.equal(clock.pendingTimers(), 0);
  assert.equal(watch.size, 0);
});

test('an entry may leave in its own check, and the others are still checked', async () => {
  const clock = createTestClock();
  const watch = createWatch(clock, 100);
  let others = 0;
  const ticket: Ticket = watch.join({ check: () => watch.leave(ticket) });
  watch.join({
    check: () => {
      others += 1;
    },
  });
  await clock.advance(200);
  assert.equal(others, 2);
  assert.equal(watch.size, 1);
});

test('an entry removed by the check of another entry is not checked', async () => {
  const clock = createTestClock();
  const watch = createWatch(clock, 100);
  let second: Ticket = -1;
  let checks = 0;
  watch.join({ check: () => watch.leave(second) });
  second = watch.join({
    check: () => {
      checks += 1;
    },
  });
  await clock.advance(300);
  assert.equal(checks, 0);
});

test('leaving twice or after the close is harmless', () => {
  const watch = createWatch(createTestClock(), 100);
  const ticket = watch.join({ check: () => {} });
  watch.leave(ticket);
  watch.leave(ticket);
  assert.equal(watch.size, 0);
  const other = watch.join({ check: () => {} });
  watch.close();
  watch.leave(other);
  assert.equal(watch.size, 0);
});

test('after any order of joins and leaves exactly the remaining entries are checked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(9), { maxLength: 60 }), async (moves) => {
      const clock = createTestClock();
      const watch = createWatch(clock, 100);
      const tickets = new Map<number, Ticket>();
      const checked = new Set<number>();
      for (const name of moves) {
        const ticket = tickets.get(name);
        if (ticket === undefined)
          tickets.set(name, watch.join({ check: () => void checked.add(name) }));
        else {
          watch.leave(ticket);
          tickets.delete(name);
        }
      }
      assert.equal(watch.size, tickets.size);
      await clock.advance(100);
      assert.deepEqual(checked, new Set(tickets.keys()));
      watch.close();
    }),
    { numRuns: 50 },
  );
});
