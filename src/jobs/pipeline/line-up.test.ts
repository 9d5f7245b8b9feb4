import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLineUp } from './line-up.ts';

test('those who are ready early wait for those who came before', async () => {
  const lineUp = createLineUp();
  const [first, second, third] = [lineUp(), lineUp(), lineUp()];
  const passed: number[] = [];
  const pass = async (place: typeof first, name: number) => {
    await place.turn;
    passed.push(name);
    place.leave();
  };
  const others = [pass(third, 3), pass(second, 2)];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(passed, []);
  await pass(first, 1);
  await Promise.all(others);
  assert.deepEqual(passed, [1, 2, 3]);
});

test('who has nothing to do leaves without waiting and holds nobody up', async () => {
  const lineUp = createLineUp();
  const [first, second, third] = [lineUp(), lineUp(), lineUp()];
  second.leave();
  first.leave();
  await third.turn;
});
