import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMinuteCount } from './minute-count.ts';

test('an event counts for the sixty seconds that follow it and for no longer', () => {
  let nowMs = 500;
  const count = createMinuteCount({ monotonic: () => nowMs });
  count.add();
  nowMs = 30_000;
  count.add();
  count.add();
  assert.equal(count.value(), 3);
  nowMs = 59_999;
  assert.equal(count.value(), 3);
  nowMs = 60_000;
  assert.equal(count.value(), 2);
  nowMs = 500_000;
  assert.equal(count.value(), 0);
});
