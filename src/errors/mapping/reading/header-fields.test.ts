import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_HEADERS, readHeaders } from './header-fields.ts';

test('headers are read from every supported shape, case-insensitively', () => {
  const bytes = new TextEncoder();
  for (const source of [
    new Headers({ 'Retry-After': '17' }),
    new Map([['Retry-After', '17']]),
    { 'Retry-After': ' 17 ' },
    { 'retry-after': ['17', '18'] },
    { 'RETRY-AFTER': 17 },
    [['Retry-After', '17']],
    ['Retry-After', '17', 'Server', 'x'],
    [bytes.encode('Retry-After'), bytes.encode('17')],
  ]) {
    assert.equal(readHeaders(NO_HEADERS, source).get('retry-after'), '17');
  }
});

test('the first value of a header wins', () => {
  const first = readHeaders(NO_HEADERS, { date: 'a' });
  assert.deepEqual(
    [...readHeaders(first, { date: 'b', server: 'c' })],
    [
      ['date', 'a'],
      ['server', 'c'],
    ],
  );
});

test('unbounded and throwing headers are abandoned early', () => {
  let taken = 0;
  const endless = {
    get: () => null,
    *entries(): Generator<readonly [string, string]> {
      for (;;) yield [`name-${(taken += 1)}`, 'x'];
    },
  };
  assert.ok(readHeaders(NO_HEADERS, endless).size <= 200);
  assert.ok(taken < 300);
  const throwing = {
    get date(): string {
      throw new Error('no');
    },
  };
  assert.equal(readHeaders(NO_HEADERS, throwing).size, 0);
});
