import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DueTimes, MISSED_INTERVALS, MISSED_MS } from './due-times.ts';

const INTERVAL_MS = 100;
const PATIENCE_MS = MISSED_MS + MISSED_INTERVALS * INTERVAL_MS;

test('due times are one interval apart, from when the first slot opens', () => {
  const dueTimes = new DueTimes();
  const assigned = [5000, 5000, 5250].map((freeAt) => dueTimes.assign(freeAt, 0, INTERVAL_MS));
  assert.deepEqual(assigned, [5000, 5100, 5250]);
});

test('a job without a due time waits one interval behind the last one, and not after it has passed', () => {
  const dueTimes = new DueTimes();
  assert.equal(dueTimes.waitMs(0, INTERVAL_MS), 0);
  dueTimes.assign(5000, 0, INTERVAL_MS);
  assert.equal(dueTimes.waitMs(1000, INTERVAL_MS), 4100);
  assert.equal(dueTimes.waitMs(5000, INTERVAL_MS), 0);
});

test('a schedule expires when no job comes at its due time', () => {
  const dueTimes = new DueTimes();
  for (let index = 0; index < 500; index += 1) dueTimes.assign(1000, 0, INTERVAL_MS);
  const expiresAt = 1000 + PATIENCE_MS;
  assert.ok(dueTimes.waitMs(expiresAt - 1, INTERVAL_MS) > 0);
  assert.equal(dueTimes.waitMs(expiresAt, INTERVAL_MS), 0);
  assert.equal(dueTimes.assign(expiresAt + 50, expiresAt, INTERVAL_MS), expiresAt + 50);
});

test('jobs that come at their due times keep a schedule alive', () => {
  const dueTimes = new DueTimes();
  for (let index = 0; index < 500; index += 1) dueTimes.assign(1000, 0, INTERVAL_MS);
  for (let now = 1000; now < 40_000; now += PATIENCE_MS / 2) dueTimes.keepAlive(now, INTERVAL_MS);
  assert.ok(dueTimes.waitMs(40_000, INTERVAL_MS) > 0);
});

test('a due time after a gap does not expire before it comes', () => {
  const dueTimes = new DueTimes();
  dueTimes.assign(1000, 0, INTERVAL_MS);
  dueTimes.assign(60_000, 500, INTERVAL_MS);
  assert.ok(dueTimes.waitMs(59_000, INTERVAL_MS) > 0);
});
