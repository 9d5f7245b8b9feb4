import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LARGE_TEXT_BYTES, TurnQueue, turnAfter } from './next-turn.ts';

test('other work of the event loop runs after a large step, and none after a small one', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('other request'));
  await turnAfter(LARGE_TEXT_BYTES - 1);
  order.push('small step');
  await turnAfter(LARGE_TEXT_BYTES);
  order.push('large step');
  assert.deepEqual(order, ['small step', 'other request', 'large step']);
});

test('each large step has a turn of its own, in the order of arrival', async () => {
  const steps: number[] = [];
  for (let step = 0; step < 3; step += 1)
    void turnAfter(LARGE_TEXT_BYTES)?.then(() => steps.push(step));
  for (const expected of [[0], [0, 1], [0, 1, 2]]) {
    await nextTurn();
    assert.deepEqual(steps, expected);
  }
});

test('waiting work resumes in order, a few in each turn of the event loop', async () => {
  const turns = new TurnQueue(4);
  const resumed: number[] = [];
  for (let index = 0; index < 20; index += 1) turns.wait(() => resumed.push(index));
  assert.deepEqual(resumed, []);
  const sizes: number[] = [];
  while (resumed.length < 20) {
    await nextTurn();
    sizes.push(resumed.length);
  }
  assert.deepEqual(sizes, [4, 8, 12, 16, 20]);
  assert.deepEqual(
    resumed,
    Array.from({ length: 20 }, (_, index) => index),
  );
});

test('work that waits again while it resumes has another turn', async () => {
  const turns = new TurnQueue(4);
  let resumed = 0;
  const again = (): void => {
    resumed += 1;
    if (resumed < 3) turns.wait(again);
  };
  turns.wait(again);
  for (let turn = 1; turn <= 3; turn += 1) {
    await nextTurn();
    assert.equal(resumed, turn);
  }
});
