import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReportDue } from './attempt-clocks.ts';

test('a long call is reported after a second and every 20 seconds from then on', () => {
  const reports = Array.from({ length: 260 }, (_, tick) => tick * 250).filter(isReportDue);
  assert.deepEqual(reports, [1000, 21_000, 41_000, 61_000]);
});
