import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { countdown, formatCountdown, waitUntil } from './countdown.ts';

const NOW = 1_767_614_400_000;
const page = new EventTarget();

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: NOW });
  globalThis.addEventListener = page.addEventListener.bind(page);
  globalThis.removeEventListener = page.removeEventListener.bind(page);
});
afterEach(() => mock.timers.reset());

test('a countdown ticks at full seconds of the remaining time and ends with 0', () => {
  const ticks: number[] = [];
  countdown(NOW + 2500, (remainingMs) => ticks.push(remainingMs));
  mock.timers.tick(500);
  mock.timers.tick(1000);
  mock.timers.tick(1000);
  mock.timers.tick(5000);
  assert.deepEqual(ticks, [2500, 2000, 1000, 0]);
});

test('a countdown shows the right time as soon as a sleeping tab wakes', () => {
  const ticks: number[] = [];
  const until = NOW + 600_000;
  mock.timers.reset();
  let time = NOW;
  const date = mock.method(Date, 'now', () => time);
  const stop = countdown(until, (remainingMs) => ticks.push(remainingMs));
  time += 432_000;
  page.dispatchEvent(new Event('visibilitychange'));
  time += 400_000;
  page.dispatchEvent(new Event('pageshow'));
  page.dispatchEvent(new Event('resume'));
  date.mock.restore();
  stop();
  assert.deepEqual(ticks, [600_000, 168_000, 0]);
});

test('a countdown to a time that has passed is ready immediately', () => {
  const ticks: number[] = [];
  countdown(NOW - 1, (remainingMs) => ticks.push(remainingMs));
  assert.deepEqual(ticks, [0]);
});

test('a stopped or aborted countdown does not tick', () => {
  const ticks: number[] = [];
  const leaving = new AbortController();
  countdown(NOW + 9000, (remainingMs) => ticks.push(remainingMs))();
  countdown(NOW + 9000, (remainingMs) => ticks.push(remainingMs), { signal: leaving.signal });
  leaving.abort();
  mock.timers.tick(20_000);
  page.dispatchEvent(new Event('online'));
  countdown(NOW + 99_000, (remainingMs) => ticks.push(remainingMs), { signal: leaving.signal });
  assert.deepEqual(ticks, [9000, 9000]);
});

test('waitUntil resolves at its time, and rejects with the reason of its signal', async () => {
  let isOver = false;
  const waiting = waitUntil(NOW + 5000).then(() => {
    isOver = true;
  });
  mock.timers.tick(4000);
  await Promise.resolve();
  assert.equal(isOver, false);
  mock.timers.tick(1000);
  await waiting;
  const leaving = new AbortController();
  const left = waitUntil(NOW + 99_000, { signal: leaving.signal });
  leaving.abort(new Error('left'));
  await assert.rejects(left, /left/);
  await assert.rejects(waitUntil(NOW, { signal: leaving.signal }), /left/);
});

test('a remaining time reads as minutes and seconds, from an hour on with hours', () => {
  assert.equal(formatCountdown(0), '0:00');
  assert.equal(formatCountdown(1), '0:01');
  assert.equal(formatCountdown(65_000), '1:05');
  assert.equal(formatCountdown(3_599_001), '1:00:00');
  assert.equal(formatCountdown(7_389_000), '2:03:09');
});
