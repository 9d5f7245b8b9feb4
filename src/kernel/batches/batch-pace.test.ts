import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { BatchPace } from './batch-pace.ts';

test('operations of one turn of the event loop share one batch', async () => {
  const { pace, begun } = rig();
  pace.plan();
  pace.plan();
  assert.equal(begun(), 0);
  await nextTurn();
  assert.equal(begun(), 1);
});

test('the batch after a small one starts without a delay', async () => {
  const { pace, begun, clock } = rig();
  pace.began(3);
  pace.plan();
  await nextTurn();
  assert.equal(begun(), 1);
  assert.equal(clock.pendingTimers(), 0);
});

test('the batch after a large one starts three milliseconds after it', async () => {
  const { pace, begun, clock } = rig();
  pace.began(4);
  pace.plan();
  await nextTurn();
  assert.equal(begun(), 0);
  await clock.advance(2);
  assert.equal(begun(), 0);
  await clock.advance(1);
  assert.equal(begun(), 1);
});

test('the batch after a large and slow one starts without a delay', async () => {
  const { pace, begun, clock } = rig();
  pace.began(100);
  await clock.advance(5);
  pace.plan();
  await nextTurn();
  assert.equal(begun(), 1);
});

function rig() {
  const clock = createTestClock();
  let count = 0;
  const pace = new BatchPace(clock, () => {
    count += 1;
  });
  return { pace, clock, begun: () => count };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
