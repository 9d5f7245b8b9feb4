import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { sleep } from './clock.ts';
import { every } from './every.ts';

test('work runs after each interval, the first time after one interval', async () => {
  const clock = createTestClock();
  const startAt = clock.now();
  const runs: number[] = [];
  const repetition = every(clock, 100, () => void runs.push(clock.now() - startAt));
  await clock.advance(350);
  await repetition.close();
  assert.deepEqual(runs, [100, 200, 300]);
});

test('the interval starts when a slow run has ended, so runs never overlap', async () => {
  const clock = createTestClock();
  const startAt = clock.now();
  const runs: number[] = [];
  const repetition = every(clock, 100, async () => {
    runs.push(clock.now() - startAt);
    await sleep(clock, 250);
  });
  await clock.advance(1100);
  await repetition.close();
  assert.deepEqual(runs, [100, 450, 800]);
});

test('an interval given as a function is computed for every run', async () => {
  const clock = createTestClock();
  const intervals = [10, 20, 1000];
  let runs = 0;
  const repetition = every(
    clock,
    () => intervals.shift() ?? 0,
    () => {
      runs += 1;
    },
  );
  await clock.advance(500);
  await repetition.close();
  assert.equal(runs, 2);
});

test('a failed run is reported and the next run follows after the interval', async () => {
  const clock = createTestClock();
  const failures: unknown[] = [];
  let runs = 0;
  const work = () => {
    runs += 1;
    throw new Error(`run ${runs}`);
  };
  const repetition = every(clock, 100, work, (cause) => failures.push(cause));
  await clock.advance(200);
  await repetition.close();
  assert.deepEqual(failures, [new Error('run 1'), new Error('run 2')]);
});

test('runNow starts a run immediately and rejects with its error', async () => {
  const clock = createTestClock();
  const failures: unknown[] = [];
  const work = () => Promise.reject(new Error('store unavailable'));
  const repetition = every(clock, 100, work, (cause) => failures.push(cause));
  await assert.rejects(repetition.runNow(), /store unavailable/);
  assert.deepEqual(failures, []);
  await repetition.close();
});

test('runNow joins the run in flight', async () => {
  const clock = createTestClock();
  let runs = 0;
  const repetition = every(clock, 100, () => {
    runs += 1;
    return sleep(clock, 50);
  });
  const both = Promise.all([repetition.runNow(), repetition.runNow()]);
  await clock.advance(50);
  await both;
  assert.equal(runs, 1);
  await repetition.close();
});

test('close aborts the signal of the run in flight, waits for it and reports no failure', async () => {
  const clock = createTestClock();
  const failures: unknown[] = [];
  let hasEnded = false;
  const work = async (closing: AbortSignal) => {
    try {
      await sleep(clock, 10_000, closing);
    } finally {
      hasEnded = true;
    }
  };
  const repetition = every(clock, 100, work, (cause) => failures.push(cause));
  await clock.advance(100);
  assert.equal(hasEnded, false);
  await repetition.close();
  assert.equal(hasEnded, true);
  assert.deepEqual(failures, []);
});

test('a closed repetition starts no work and leaves no timer', async () => {
  const clock = createTestClock();
  let runs = 0;
  const repetition = every(clock, 100, () => {
    runs += 1;
  });
  await repetition.close();
  await repetition.close();
  await repetition.runNow();
  await clock.advance(1000);
  assert.equal(runs, 0);
  assert.equal(clock.pendingTimers(), 0);
});
