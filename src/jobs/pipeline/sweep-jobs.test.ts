import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossBackoffMs } from './sweep-jobs.ts';

test('a job that was lost once is requeued without a delay', () => {
  assert.equal(lossBackoffMs(0, 0.9), 0);
  assert.equal(lossBackoffMs(1, 0.9), 0);
});

test('jobs that are lost repeatedly are requeued with growing random delays of about a minute at most', () => {
  assert.equal(lossBackoffMs(2, 0.5), 1000);
  assert.equal(lossBackoffMs(3, 0.5), 2000);
  assert.equal(lossBackoffMs(9, 1), lossBackoffMs(7, 1));
  assert.ok(lossBackoffMs(100, 0.999) < 65_000);
});
