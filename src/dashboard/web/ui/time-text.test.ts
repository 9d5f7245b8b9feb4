import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactTimeText, relativeText } from './time-text.ts';

test('a time is relative to now in its largest unit', () => {
  for (const [offsetMs, text] of [
    [0, 'just now'],
    [-2400, 'just now'],
    [-12_000, '12 s ago'],
    [4 * 60_000, 'in 4 min'],
    [-3 * 3_600_000, '3 h ago'],
    [-26 * 3_600_000, '26 h ago'],
    [-3 * 86_400_000, '3 d ago'],
  ] as const)
    assert.equal(relativeText(1_000_000_000 + offsetMs, 1_000_000_000), text);
});

test('the exact time names its zone', () => {
  assert.equal(exactTimeText(1_795_000_000_000, 'UTC'), '18 Nov 2026, 11:06:40 UTC');
});
