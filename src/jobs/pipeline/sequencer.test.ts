import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSequencer } from './sequencer.ts';

test('an item that is ready early waits for items that arrived before it', async () => {
  const nextTicket = createSequencer();
  const [first, second, third] = [nextTicket(), nextTicket(), nextTicket()];
  const passed: number[] = [];
  const pass = async (ticket: typeof first, name: number) => {
    await ticket.turn;
    passed.push(name);
    ticket.done();
  };
  const others = [pass(third, 3), pass(second, 2)];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(passed, []);
  await pass(first, 1);
  await Promise.all(others);
  assert.deepEqual(passed, [1, 2, 3]);
});

test('an item that skips its turn does not block later items', async () => {
  const nextTicket = createSequencer();
  const [first, second, third] = [nextTicket(), nextTicket(), nextTicket()];
  second.done();
  first.done();
  await third.turn;
});
