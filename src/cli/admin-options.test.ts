import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, orNone, readCount, readTimestamp, readUsd } from './admin-options.ts';

test('a timestamp is epoch milliseconds or an ISO time', () => {
  assert.equal(readTimestamp('1754636400000'), 1_754_636_400_000);
  assert.equal(readTimestamp('2026-01-31T18:00:00Z'), Date.UTC(2026, 0, 31, 18));
  assert.equal(readTimestamp('2026-01-31T18:00:00.5+02:00'), Date.UTC(2026, 0, 31, 16, 0, 0, 500));
  assert.equal(readTimestamp('2026-01-31'), Date.UTC(2026, 0, 31));
  for (const text of ['', 'tomorrow', '1.5', '-1', '2026-13-01', '12/31/2026', '99999999999999999'])
    assert.throws(() => readTimestamp(text), { code: 'commander.invalidArgument' }, text);
});

test('a timestamp may be a time from now', () => {
  const before = Date.now();
  const inTwoHours = readTimestamp('+2h');
  assert.ok(inTwoHours >= before + 7_200_000 && inTwoHours <= Date.now() + 7_200_000);
  for (const text of ['+', '+2', '+2w', '+-1h', '2h'])
    assert.throws(() => readTimestamp(text), { code: 'commander.invalidArgument' }, text);
});

test('dollars and counts are plain decimal numbers', () => {
  assert.equal(readUsd('12.50'), 12.5);
  assert.equal(readCount('100'), 100);
  for (const text of ['', 'x', '1,5', '$5', 'NaN']) assert.throws(() => readUsd(text), text);
  for (const text of ['', 'x', '1.5', '-1', '1e3']) assert.throws(() => readCount(text), text);
});

test('none removes a value, and repeated options are collected', () => {
  assert.equal(orNone(readCount)('none'), 'none');
  assert.equal(orNone(readCount)('7'), 7);
  assert.deepEqual(collect('b', collect('a', undefined)), ['a', 'b']);
});
