import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { calendarMonth } from '../../src/kernel/calendar/calendar-month.ts';
import { midnightAt, untilMidnight } from './midnight.ts';

const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York', 'Pacific/Kiritimati'] as const;

test('the months on both sides of midnight match the shifted clock', () => {
  const moments = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(moments, fc.constantFrom(...ZONES), (at, zone) => {
      const { aheadMs, oldMonth, newMonth } = midnightAt(at, zone);
      assert.equal(calendarMonth(at + aheadMs - 1, zone).number, oldMonth);
      assert.equal(calendarMonth(at + aheadMs, zone).number, newMonth);
      assert.ok(newMonth > oldMonth);
    }),
  );
});

test('a midnight that has passed cannot be waited for', async () => {
  const passed = midnightAt(Date.now() - 1_000, 'UTC');
  await assert.rejects(untilMidnight(passed, 0, AbortSignal.abort()), /too early/);
});
