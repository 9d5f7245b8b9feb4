import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMs, parseInstant, readIsoAt } from './instant.ts';

test('the magnitude of an epoch decides its unit', () => {
  assert.equal(epochMs(1_754_636_400), 1_754_636_400_000);
  assert.equal(epochMs(1_754_636_400_000), 1_754_636_400_000);
  assert.equal(epochMs(1_754_636_400.25), 1_754_636_400_250);
});

test('numbers outside the range of plausible epochs yield undefined', () => {
  for (const value of [0, -1, 60, 300, 99_999, 9e15, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(epochMs(value), undefined, String(value));
  }
});

test('instants are parsed from RFC 3339, HTTP dates and epochs', () => {
  const instant = Date.UTC(2026, 7, 24, 10);
  assert.equal(parseInstant('2026-08-24T10:00:00Z'), instant);
  assert.equal(parseInstant('2026-08-24T12:00:00.000+02:00'), instant);
  assert.equal(parseInstant('2026-08-24 at 10:00 UTC'), instant);
  assert.equal(parseInstant('Mon, 24 Aug 2026 10:00:00 GMT'), instant);
  assert.equal(parseInstant(String(instant)), instant);
  assert.equal(parseInstant(instant / 1_000), instant);
});

test('impossible dates and times without a zone yield undefined', () => {
  for (const text of [
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-08-24 10:00:00',
    'soon',
  ]) {
    assert.equal(parseInstant(text), undefined, text);
  }
});

test('an instant is read at exactly the given position', () => {
  const text = 'access on 2026-04-01 at 00:00 UTC.';
  assert.equal(readIsoAt(text, 10), Date.UTC(2026, 3, 1));
  assert.equal(readIsoAt(text, 9), undefined);
});
