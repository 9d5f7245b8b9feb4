import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apartMs } from './sweep-jobs.ts';

test('a job that was lost once comes back at once', () => {
  assert.equal(apartMs(0, 0.9), 0);
  assert.equal(apartMs(1, 0.9), 0);
});

test('jobs that are lost again and again come back ever further apart, within a minute or so', () => {
  assert.equal(apartMs(2, 0.5), 1000);
  assert.equal(apartMs(3, 0.5), 2000);
  assert.equal(apartMs(9, 1), apartMs(7, 1));
  assert.ok(apartMs(100, 0.999) < 65_000);
});
