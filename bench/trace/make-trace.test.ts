import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTrace, USUAL_SHAPE } from './make-trace.ts';
import { busiestPart, durationMs, peakMinute, perMinute } from './request-trace.ts';

const MINUTE_MS = 60_000;

test('a generated trace has the given number, length and peak, and is ordered', () => {
  for (const seed of [1, 2, 3]) {
    const trace = makeTrace(seed);
    assert.equal(trace.length, USUAL_SHAPE.requests);
    assert.ok(durationMs(trace) <= USUAL_SHAPE.minutes * MINUTE_MS);
    assert.ok(trace.every(({ atMs }, index) => atMs >= (trace[index - 1]?.atMs ?? 0)));
    assert.equal(trace[0]?.atMs, 0);
    const tokens = trace.flatMap((each) => [each.contextTokens, each.generatedTokens]);
    assert.ok(tokens.every((count) => Number.isInteger(count) && count >= 3));
  }
});

test('a generated trace has bursts: minutes with at least three times the mean, and empty minutes', () => {
  const trace = makeTrace(1);
  assert.ok(peakMinute(trace) >= 3 * perMinute(trace));
  const minutes = new Set(trace.map(({ atMs }) => Math.floor(atMs / MINUTE_MS)));
  assert.ok(minutes.size < durationMs(trace) / MINUTE_MS);
});

test('the same seed makes the same trace and another seed a different one', () => {
  assert.deepEqual(makeTrace(5), makeTrace(5));
  assert.notDeepEqual(makeTrace(5), makeTrace(6));
});

test('more requests than fit under the peak are refused', () => {
  assert.throws(() => makeTrace(1, { requests: 100, minutes: 2, peakMinute: 10 }), RangeError);
});

test('the busiest part is the stretch with the most requests, counted from its first', () => {
  const sizes = { contextTokens: 1, generatedTokens: 1 };
  const trace = [0, 50, 100, 110, 120, 400].map((atMs) => ({ atMs, ...sizes }));
  assert.deepEqual(
    busiestPart(trace, 60).map(({ atMs }) => atMs),
    [0, 10, 20],
  );
  assert.deepEqual(busiestPart([], 60), []);
});
