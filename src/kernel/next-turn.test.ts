import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LARGE_TEXT_BYTES, turnAfter } from './next-turn.ts';

test('other work of the event loop runs after a large step, and none after a small one', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('other request'));
  await turnAfter(LARGE_TEXT_BYTES - 1);
  order.push('small step');
  await turnAfter(LARGE_TEXT_BYTES);
  order.push('large step');
  assert.deepEqual(order, ['small step', 'other request', 'large step']);
});
