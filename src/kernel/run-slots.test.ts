import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type RunSlot, RunSlots } from './run-slots.ts';

test('a finishing item frees its slot until the bound on finishing items is reached', () => {
  const slots = new RunSlots(1, 1);
  const first = slots.acquire();
  assert.equal(slots.free, 0);
  first.startFinishing();
  assert.equal(slots.free, 1);
  const second = slots.acquire();
  second.startFinishing();
  assert.equal(slots.free, 0, 'two items are unfinished');
  first.release();
  assert.equal(slots.free, 1);
});

test('a finishing item keeps its slot where no item may be finishing', () => {
  const slots = new RunSlots(2, 0);
  const [first] = [slots.acquire(), slots.acquire()];
  first.startFinishing();
  assert.equal(slots.free, 0);
  first.release();
  assert.equal(slots.free, 1);
});

test('no order of acquire, finish and release exceeds either bound', () => {
  const steps = fc.array(
    fc.record({ action: fc.constantFrom('acquire', 'finish', 'release'), index: fc.nat(9) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.nat(4), steps, (running, finishing, taken) => {
      const slots = new RunSlots(running, finishing);
      const runningSlots = new Set<RunSlot>();
      const unfinished: RunSlot[] = [];
      for (const { action, index } of taken) {
        const slot = unfinished[index];
        if (action === 'acquire' && slots.free > 0) {
          const acquired = slots.acquire();
          unfinished.push(acquired);
          runningSlots.add(acquired);
        }
        if (action === 'finish' && slot) {
          slot.startFinishing();
          runningSlots.delete(slot);
        }
        if (action === 'release' && slot) {
          slot.release();
          runningSlots.delete(slot);
          unfinished.splice(index, 1);
        }
        assert.ok(runningSlots.size <= running);
        assert.ok(unfinished.length <= running + finishing);
        const free = Math.min(running - runningSlots.size, running + finishing - unfinished.length);
        assert.equal(slots.free, free);
      }
    }),
  );
});

test('an item that is set aside frees its slot and resumes before a new item starts', async () => {
  const slots = new RunSlots(1, 0);
  const first = slots.acquire();
  first.setAside();
  assert.equal(slots.free, 1);
  const second = slots.acquire();
  const resumed = first.resume();
  assert.equal(slots.free, 0);
  second.release();
  assert.equal(slots.free, 0, 'the slot belongs to the first item');
  await resumed;
  first.release();
  assert.equal(slots.free, 1);
});

test('an item that is released while it waits to resume keeps no slot', async () => {
  const slots = new RunSlots(1, 0);
  const first = slots.acquire();
  first.setAside();
  const second = slots.acquire();
  const resumed = first.resume();
  first.release();
  second.release();
  await resumed;
  assert.equal(slots.free, 1);
});
