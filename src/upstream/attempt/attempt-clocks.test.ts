import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReportDue } from './attempt-clocks.ts';

/** When a call is reported whose checks are `tickMs` apart. */
function reportsOf(tickMs: number, lastsMs: number): readonly number[] {
  const checks = Array.from({ length: Math.ceil(lastsMs / tickMs) }, (_, tick) => tick * tickMs);
  return checks.filter((lastedMs) => isReportDue(lastedMs, tickMs));
}

test('a long call is reported after a second and every 20 seconds from then on', () => {
  assert.deepEqual(reportsOf(250, 65_000), [1000, 21_000, 41_000, 61_000]);
});

test('the checks of a busy process skip no report', () => {
  for (const tickMs of [251, 333, 1700, 4000])
    assert.equal(reportsOf(tickMs, 65_000).length, 4, `checks every ${tickMs} ms`);
});

test('the first check of a process reports a call that lasts longer than a second', () => {
  assert.equal(isReportDue(1200, Number.POSITIVE_INFINITY), true);
  assert.equal(isReportDue(900, Number.POSITIVE_INFINITY), false);
});
