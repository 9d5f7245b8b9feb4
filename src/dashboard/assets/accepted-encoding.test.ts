import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseEncoding } from './accepted-encoding.ts';

const ALL = { identity: Buffer.from('i'), gzip: Buffer.from('g'), br: Buffer.from('b') };

test('Brotli is preferred, then gzip, then no encoding', () => {
  assert.equal(chooseEncoding('gzip, deflate, br, zstd', ALL), 'br');
  assert.equal(chooseEncoding('gzip, deflate', ALL), 'gzip');
  assert.equal(chooseEncoding('deflate', ALL), 'identity');
  assert.equal(chooseEncoding(undefined, ALL), 'identity');
});

test('an encoding with quality 0 is refused', () => {
  assert.equal(chooseEncoding('br;q=0, gzip;q=0.5', ALL), 'gzip');
  assert.equal(chooseEncoding('br; q=0.0, gzip; q=0', ALL), 'identity');
});

test('a file without a compressed copy is sent as it is', () => {
  assert.equal(chooseEncoding('br, gzip', { identity: Buffer.from('i') }), 'identity');
});
