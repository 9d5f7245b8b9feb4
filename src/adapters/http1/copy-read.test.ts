import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ReadCopier } from './copy-read.ts';

const MIB = 2 ** 20;
const JSON_HEADERS = { 'content-type': 'application/json' };
const READ = Buffer.alloc(64 * 1024, 'x');

function copiesOf(copier: ReadCopier, bytes: number): Buffer[] {
  return Array.from({ length: bytes / READ.length }, () => copier.copy(READ));
}

/** The bytes that the copies keep in memory. */
function keptBytes(copies: readonly Buffer[]): number {
  const buffers = new Set(copies.map(({ buffer }) => buffer));
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

test('every copy keeps its bytes, whatever is read after it', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 64 * 1024 }), { minLength: 60, maxLength: 80 });
  fc.assert(
    fc.property(sizes, (counts) => {
      const copier = new ReadCopier();
      copier.begin(JSON_HEADERS);
      const shared = Buffer.alloc(64 * 1024);
      const copies = counts.map((count, index) =>
        copier.copy(shared.fill(index + 1).subarray(0, count)),
      );
      for (const [index, copy] of copies.entries()) {
        assert.equal(copy.length, counts[index]);
        assert.ok(copy.every((byte) => byte === index + 1));
      }
    }),
    { numRuns: 20 },
  );
});

test('the reads of a large answer share blocks, and those before it is large do not', () => {
  const copier = new ReadCopier();
  copier.begin(JSON_HEADERS);
  assert.equal(keptBytes(copiesOf(copier, MIB).slice(0, 1)), READ.length);
  assert.equal(new Set(copiesOf(copier, 4 * MIB).map(({ buffer }) => buffer)).size, 4);
});

test('a copy keeps no more than its own bytes in a stream, in a small answer and behind a large answer', () => {
  const copier = new ReadCopier();
  copier.begin({ 'content-type': 'text/event-stream; charset=utf-8' });
  assert.equal(keptBytes(copiesOf(copier, 4 * MIB).slice(-1)), READ.length);
  copier.begin(JSON_HEADERS);
  copiesOf(copier, 2 * MIB);
  copier.end();
  assert.equal(keptBytes([copier.copy(READ)]), READ.length);
  copier.begin(JSON_HEADERS);
  assert.equal(keptBytes(copiesOf(copier, MIB).slice(-1)), READ.length);
});
