import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMs, parseMoment, readIsoAt } from './moment.ts';

test('the unit of an epoch is told by its magnitude', () => {
  assert.equal(epochMs(1_754_636_400), 1_754_636_400_000);
  assert.equal(epochMs(1_754_636_400_000), 1_754_636_400_000);
  assert.equal(epochMs(1_754_636_400.25), 1_754_636_400_250);
});

test('numbers that cannot be a moment of ours are none', () => {
  for (const value of [0, -1, 60, 300, 99_999, 9e15, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(epochMs(value), undefined, String(value));
  }
});

test('moments are read as RFC 3339, HTTP dates and epochs', () => {
  const moment = Date.UTC(2026, 7, 24, 10);
  assert.equal(parseMoment('2026-08-24T10:00:00Z'), moment);
  assert.equal(parseMoment('2026-08-24T12:00:00.000+02:00'), moment);
  assert.equal(parseMoment('2026-08-24 at 10:00 UTC'), moment);
  assert.equal(parseMoment('Mon, 24 Aug 2026 10:00:00 GMT'), moment);
  assert.equal(parseMoment(String(moment)), moment);
  assert.equal(parseMoment(moment / 1_000), moment);
});

test('days that are not in the calendar, and times without a zone, are none', () => {
  for (const text of [
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-08-24 10:00:00',
    'soon',
  ]) {
    assert.equal(parseMoment(text), undefined, text);
  }
});

test('a moment is read exactly where it stands', () => {
  const text = 'access on 2026-04-01 at 00:00 UTC.';
  assert.equal(readIsoAt(text, 10), Date.UTC(2026, 3, 1));
  assert.equal(readIsoAt(text, 9), undefined);
});
