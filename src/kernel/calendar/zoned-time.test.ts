import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { instantOf, localTimeAt } from './zoned-time.ts';

test('a local time uses the offset of its own day', () => {
  const noon = { month: 1, day: 15, hour: 12, minute: 0 };
  assert.equal(instantOf({ year: 2026, ...noon }, 'America/New_York'), Date.UTC(2026, 0, 15, 17));
  const summer = { year: 2026, month: 7, day: 15, hour: 12, minute: 0 };
  assert.equal(instantOf(summer, 'America/New_York'), Date.UTC(2026, 6, 15, 16));
  assert.equal(instantOf(summer, 'Asia/Kathmandu'), Date.UTC(2026, 6, 15, 6, 15));
});

test('a local time inside a daylight-saving gap moves past the gap', () => {
  const skipped = { year: 2026, month: 3, day: 29, hour: 2, minute: 30 };
  assert.equal(instantOf(skipped, 'Europe/Berlin'), Date.UTC(2026, 2, 29, 1, 30));
});

test('of a repeated local time the first occurrence is used', () => {
  const twice = { year: 2026, month: 10, day: 25, hour: 2, minute: 30 };
  assert.equal(instantOf(twice, 'Europe/Berlin'), Date.UTC(2026, 9, 25, 0, 30));
});

test('every instant survives a round trip through local time, except in the repeated hour', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia'];
  const seconds = fc.integer({ min: Date.UTC(2020, 0) / 1_000, max: Date.UTC(2040, 0) / 1_000 });
  fc.assert(
    fc.property(seconds, fc.constantFrom(...zones), (second, zone) => {
      const instant = second * 1_000;
      const found = instantOf(localTimeAt(instant, zone), zone);
      assert.ok(found === instant || (found < instant && instant - found <= 3_600_000));
    }),
  );
});
