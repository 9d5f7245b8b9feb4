import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { Batches } from './batches.ts';

const MAX_SIZE = 3;

function rig() {
  const clock = createTestClock();
  const delivered: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const batches = new Batches<string>(clock, MAX_SIZE, (batch) => {
    delivered.push(batch);
    return new Promise((resolve) => ends.push(resolve));
  });
  async function endBatch(): Promise<void> {
    ends.shift()?.();
    await nextTurn();
  }
  return { batches, delivered, endBatch };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

test('items of one turn form a batch, and items added while it is in flight form the next', async () => {
  const { batches, delivered, endBatch } = rig();
  batches.add('a');
  batches.add('b');
  await nextTurn();
  batches.add('c');
  await nextTurn();
  assert.deepEqual(delivered, [['a', 'b']]);
  await endBatch();
  assert.deepEqual(delivered, [['a', 'b'], ['c']]);
});

test('a batch has at most the maximum size, and the other items follow', async () => {
  const { batches, delivered, endBatch } = rig();
  for (const item of ['a', 'b', 'c', 'd']) batches.add(item);
  await nextTurn();
  await endBatch();
  assert.deepEqual(delivered, [['a', 'b', 'c'], ['d']]);
});

test('queued items can be taken back, items in flight cannot', async () => {
  const { batches, delivered, endBatch } = rig();
  batches.add('a');
  await nextTurn();
  batches.add('b');
  assert.deepEqual(batches.takeQueued(), ['b']);
  await endBatch();
  assert.deepEqual(delivered, [['a']]);
});

test('drain delivers queued items without a delay and resolves when the last batch has ended', async () => {
  const { batches, delivered, endBatch } = rig();
  for (const item of ['a', 'b', 'c', 'd']) batches.add(item);
  let isDrained = false;
  const drained = batches.drain().then(() => (isDrained = true));
  assert.deepEqual(delivered, [['a', 'b', 'c']]);
  await endBatch();
  assert.deepEqual([delivered.length, isDrained], [2, false]);
  await endBatch();
  await drained;
});
