import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseDuration, readDurationAt } from './duration.ts';

test('durations are parsed to the millisecond, rounded up', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['644ms', 644],
    ['9.816s', 9_816],
    ['18.642s', 18_642],
    ['1m26.4s', 86_400],
    ['6m0s', 360_000],
    ['8h44m7s', 31_447_000],
    ['0.539477544s', 540],
    ['539.477544ms', 540],
    ['33740.910400305s', 33_740_911],
    ['1.984999999s', 1_985],
    ['900.2ms', 901],
    ['7.000000001s', 7_001],
    ['1d2h', 93_600_000],
    ['42 minutes', 2_520_000],
    ['5 days 22 hours 11 minutes', 511_860_000],
    ['1 hour and 5 minutes', 3_900_000],
    ['1500µs', 2],
    ['30 秒', 30_000],
    ['0s', 0],
  ];
  for (const [text, ms] of cases) assert.equal(parseDuration(text), ms, text);
});

test('a bare number is in the unit of its field', () => {
  assert.equal(parseDuration('17'), 17_000);
  assert.equal(parseDuration('0.5'), 500);
  assert.equal(parseDuration(' 250 ', 1), 250);
});

test('text that is not a duration yields undefined', () => {
  for (const text of [
    '',
    'soon',
    '-5',
    '5 months',
    '3 apples',
    'NaN',
    '1e9',
    '99999999999',
    '5s!',
  ]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

test('a duration ends with its last unit', () => {
  const text = 'again in 20s. Contact us';
  assert.deepEqual(readDurationAt(text, 9), { ms: 20_000, end: 12 });
  assert.equal(readDurationAt('an hour', 0)?.ms, 3_600_000);
  for (const text of ['1 second 7 days', '1 second 99 seconds', '1 second, 1000 ms'])
    assert.deepEqual(readDurationAt(text, 0), { ms: 1000, end: 8 }, text);
  assert.equal(readDurationAt('in 20s', 0), undefined);
});

test("every duration in Go's format survives a round trip", () => {
  const part = fc.integer({ min: 0, max: 59 });
  fc.assert(
    fc.property(fc.nat(99), part, part, fc.nat(999), (hours, minutes, seconds, millis) => {
      const text = `${hours}h${minutes}m${seconds}.${String(millis).padStart(3, '0')}s`;
      const ms = ((hours * 60 + minutes) * 60 + seconds) * 1_000 + millis;
      assert.equal(parseDuration(text), ms);
    }),
  );
});
