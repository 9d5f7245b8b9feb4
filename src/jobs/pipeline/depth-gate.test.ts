import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createDepthGate } from './depth-gate.ts';

function rig(maxReady: number | undefined) {
  const clock = createTestClock();
  const closing = new AbortController();
  const counts = { ready: 0, measured: 0, passed: 0 };
  const depth = async () => {
    counts.measured += 1;
    return { ready: counts.ready, delayed: 0, inFlight: 0 };
  };
  const gate = createDepthGate({ queue: { depth }, name: 'q', maxReady, clock }, closing.signal);
  const pass = (): Promise<boolean> =>
    gate().then((isOpen) => {
      if (isOpen) counts.passed += 1;
      return isOpen;
    });
  return { clock, closing, counts, pass };
}

test('as many jobs pass as the queue has free places, and the rest once workers have taken some', async () => {
  const { clock, counts, pass } = rig(5);
  counts.ready = 3;
  for (let index = 0; index < 4; index += 1) void pass();
  await clock.advance(0);
  counts.ready = 5;
  await clock.advance(50);
  assert.equal(counts.passed, 4, 'the depth was read before the jobs were published');
  void pass();
  await clock.advance(1000);
  assert.equal(counts.passed, 4);
  counts.ready = 4;
  await clock.advance(100);
  assert.equal(counts.passed, 5);
});

test('jobs that come at once share one measurement', async () => {
  const { clock, counts, pass } = rig(100);
  await Promise.all(Array.from({ length: 50 }, pass));
  assert.deepEqual(counts, { ready: 0, measured: 1, passed: 50 });
  await clock.advance(300);
  await pass();
  assert.equal(counts.measured, 2);
});

test('a job that waits when the signal is aborted does not pass', async () => {
  const { clock, closing, counts, pass } = rig(1);
  counts.ready = 1;
  const waiting = pass();
  await clock.advance(250);
  closing.abort();
  assert.equal(await waiting, false);
});

test('without a bound every job passes, unmeasured', async () => {
  const { counts, pass } = rig(undefined);
  assert.equal(await pass(), true);
  assert.equal(counts.measured, 0);
});
