import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lengthOf, maxOverlap, periodsOf, quantileOf, usedDuring } from './queue-use.ts';

const spans = fc.array(
  fc
    .record({ from: fc.integer({ min: 0, max: 50 }), lengthMs: fc.integer({ min: 0, max: 20 }) })
    .map(({ from, lengthMs }) => ({ from, to: from + lengthMs })),
);

test('a timestamp lies in a period exactly if a span covers it, and in one period only', () => {
  fc.assert(
    fc.property(spans, (given) => {
      const stretches = periodsOf(given);
      for (let at = 0.5; at < 80; at += 1) {
        const lasting = given.filter(({ from, to }) => from < at && at < to).length;
        const found = stretches.filter(({ from, to }) => from < at && at < to).length;
        assert.equal(found, lasting > 0 ? 1 : 0);
        assert.ok(maxOverlap(given) >= lasting);
      }
    }),
  );
});

test('the largest overlap is reached at some timestamp', () => {
  fc.assert(
    fc.property(spans, (given) => {
      const counts = Array.from(
        { length: 80 },
        (_, at) => given.filter(({ from, to }) => from < at + 0.5 && at + 0.5 < to).length,
      );
      assert.equal(maxOverlap(given), Math.max(...counts));
    }),
  );
});

test('overlapping spans count once in the length of the periods', () => {
  const stretches = periodsOf([
    { from: 10, to: 15 },
    { from: 0, to: 4 },
    { from: 3, to: 6 },
  ]);
  assert.deepEqual(stretches, [
    { from: 0, to: 6 },
    { from: 10, to: 15 },
  ]);
  assert.equal(lengthOf(stretches), 11);
});

test('a short pause does not end a period', () => {
  const given = [
    { from: 0, to: 4 },
    { from: 7, to: 9 },
    { from: 20, to: 21 },
  ];
  assert.deepEqual(periodsOf(given, 3), [
    { from: 0, to: 9 },
    { from: 20, to: 21 },
  ]);
});

const limit = { perWindow: 4, windowMs: 100 };

test('a burst that fills the window uses it, and requests spread over the next window use that one', () => {
  const callsAt = [0, 1, 2, 3, 100, 125, 150, 175, 200];
  assert.deepEqual(usedDuring([{ from: 10, to: 200 }], callsAt, limit), [1, 1]);
});

test('a window with a queue and half of its calls is half used', () => {
  const callsAt = [0, 1, 2, 3, 110, 160, 200];
  assert.deepEqual(usedDuring([{ from: 10, to: 200 }], callsAt, limit), [1, 0.5]);
});

test('a single request before the burst does not start the queue period', () => {
  const callsAt = [0, 80, 81, 102, 103, 180, 181, 202, 203, 280];
  assert.deepEqual(usedDuring([{ from: 82, to: 280 }], callsAt, limit), [1, 1]);
});

test('no window of a period is more than full when the provider enforces its limit', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 0, max: 400 }), (given, from) => {
      const callsAt: number[] = [];
      for (const gap of given) {
        const free = (callsAt.at(-limit.perWindow) ?? Number.NEGATIVE_INFINITY) + limit.windowMs;
        callsAt.push(Math.max((callsAt.at(-1) ?? 0) + gap, free));
      }
      const stretch = { from, to: from + 700 };
      for (const part of usedDuring([stretch], callsAt, limit)) assert.ok(part <= 1);
    }),
  );
});

test('a queue that is shorter than a window says nothing about the limit', () => {
  assert.deepEqual(usedDuring([{ from: 10, to: 60 }], [0, 60], limit), []);
});

test('the calls of one period are not counted for the next', () => {
  const callsAt = [0, 1, 2, 3, 100, 130, 140, 150, 160, 230];
  const stretches = [
    { from: 10, to: 100 },
    { from: 131, to: 230 },
  ];
  assert.deepEqual(usedDuring(stretches, callsAt, limit), [1, 1]);
});

test('a quantile is the smallest value that at least the given share does not exceed', () => {
  assert.equal(quantileOf([4, 1, 3, 2], 0.5), 2);
  assert.equal(quantileOf([4, 1, 3, 2], 0.95), 4);
  assert.equal(quantileOf([4, 1, 3, 2], 1), 4);
  assert.ok(Number.isNaN(quantileOf([], 0.5)));
});
