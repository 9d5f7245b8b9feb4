import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeStart } from './range-bounds.ts';

test('the start of a named range covers it and moves in steps', () => {
  const hour = { kind: 'named', name: '1h' } as const;
  const now = 100 * 3_600_000 + 1234;
  assert.ok(rangeStart(hour, now) <= now - 3_600_000);
  assert.equal(rangeStart(hour, now), rangeStart(hour, now + 60_000));
});

test('a custom range starts where it says', () => {
  assert.equal(rangeStart({ kind: 'custom', from: 42, to: 99 }, 1000), 42);
});
