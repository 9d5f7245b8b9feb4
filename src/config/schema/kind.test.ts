import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Kind } from './kind.ts';
import { boolean, choice, decimal, host, integer, origin } from './kind.ts';
import { list, weights } from './kind-list.ts';
import { duration, size } from './kind-unit.ts';
import { publicUrl } from './kind-url.ts';

function read<T>(kind: Kind<T>, raw: unknown): T | 'refused' {
  const result = kind.schema.safeParse(raw);
  return result.success ? result.data : 'refused';
}

test('booleans are parsed from eight words in any case and from YAML', () => {
  for (const raw of ['true', '1', 'yes', 'on', 'TRUE', 'Yes', true, 1])
    assert.equal(read(boolean, raw), true);
  for (const raw of ['false', '0', 'no', 'off', 'Off', false, 0])
    assert.equal(read(boolean, raw), false);
  for (const raw of ['y', 'enabled', '2', 2, null, []]) assert.equal(read(boolean, raw), 'refused');
});

test('whole numbers are parsed from digits only', () => {
  assert.equal(read(integer(1), ' 42 '), 42);
  for (const raw of ['0x10', '1e3', '4.0', '', 'NaN', 4.5, Number.NaN, '9007199254740993', true])
    assert.equal(read(integer(1), raw), 'refused');
});

test('decimals are parsed within their bounds', () => {
  for (const [raw, value] of [
    ['0.25', 0.25],
    [' 1 ', 1],
    [0, 0],
  ] as const)
    assert.equal(read(decimal(0, 1), raw), value);
  for (const raw of ['1.1', '-0.1', '.5', '1e-1', '', 'NaN', Number.NaN, true, null])
    assert.equal(read(decimal(0, 1), raw), 'refused');
});

test('durations and sizes are parsed with and without a unit', () => {
  const durations = {
    '500ms': 500,
    '30s': 30_000,
    '10m': 600_000,
    '1.5h': 5_400_000,
    '7 d': 604_800_000,
  };
  for (const [raw, ms] of Object.entries(durations)) assert.equal(read(duration(0), raw), ms);
  const sizes = {
    '32MiB': 33_554_432,
    '512KiB': 524_288,
    '1GiB': 2 ** 30,
    '10kB': 10_000,
    '5b': 5,
  };
  for (const [raw, bytes] of Object.entries(sizes)) assert.equal(read(size(0), raw), bytes);
  assert.equal(read(duration(0), 250), 250);
  for (const raw of ['30 seconds', '-1s', '1m30s', 's', '1e3', '0.0001s '])
    assert.equal(read(duration(0), raw), 'refused');
});

test('a number with a unit is shown in the largest unit with a whole number, and parses back', () => {
  assert.equal(duration(0).display?.(120_000), '2m');
  assert.equal(size(0).display?.(33_554_432), '32MiB');
  for (const kind of [duration(0), size(0)])
    fc.assert(fc.property(fc.nat(), (value) => read(kind, kind.display?.(value)) === value));
});

test('words are parsed in any case and returned in the listed spelling', () => {
  assert.equal(read(choice(['FIXED', 'ROUND_ROBIN']), 'round_robin'), 'ROUND_ROBIN');
});

test('lists are separated by commas or are YAML lists, without spaces and empty items', () => {
  assert.deepEqual(read(list(host), ' a.local, ,10.0.0.1 '), ['a.local', '10.0.0.1']);
  assert.deepEqual(read(list(host), ['a.local', '::1']), ['a.local', '::1']);
  assert.equal(read(list(host), 'a.local,a.local'), 'refused');
});

test('weights are pairs or a map, and at least one is above zero', () => {
  assert.deepEqual(
    { ...Object(read(weights(), 'gemini:70, openai:30')) },
    { gemini: 70, openai: 30 },
  );
  assert.deepEqual({ ...Object(read(weights(), { gemini: 1.5 })) }, { gemini: 1.5 });
  for (const raw of ['gemini', 'gemini:70,gemini:30', ':1', 'a:1:2', 'a:-1', 'a:0', 'a:Infinity'])
    assert.equal(read(weights(), raw), 'refused');
});

test('a public URL has no credentials, no query and no trailing slash', () => {
  assert.equal(read(publicUrl(), 'https://h.example/v1//'), 'https://h.example/v1');
  for (const raw of ['https://u:p@h', 'https://h?x=1', 'https://h#x', 'ftp://h', 'h', 'http://a b'])
    assert.equal(read(publicUrl(), raw), 'refused');
});

test('an IPv6 address is a host with and without brackets', () => {
  for (const raw of ['::1', '[::1]', ' [::1] ']) assert.equal(read(host, raw), '::1');
  for (const raw of ['[::1', '::1]', '[]', '[localhost]', '[::1]:8787', 'localhost:8787'])
    assert.equal(read(host, raw), 'refused', raw);
});

test('an origin has no path, credentials or upper case, which no browser would send', () => {
  for (const raw of ['*', 'https://app.example', 'http://localhost:5173', 'http://[::1]:3000'])
    assert.equal(read(origin, raw), raw);
  for (const raw of [
    'https://app.example/',
    'app.example',
    'https://App.example',
    'https://*',
    'null',
  ])
    assert.equal(read(origin, raw), 'refused', raw);
});
