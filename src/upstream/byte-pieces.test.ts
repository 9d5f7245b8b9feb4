import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BytePieces } from './byte-pieces.ts';

test('chunks of any size are joined to the body that was sent, with and without a known length', () => {
  const chunk = fc.uint8Array({ maxLength: 40_000 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 8 }), fc.boolean(), (chunks, isAnnounced) => {
      const body = Buffer.concat(chunks);
      const pieces = new BytePieces(isAnnounced ? body.length : undefined);
      for (const each of chunks) pieces.add(each);
      assert.ok(pieces.joined().equals(body));
    }),
  );
});

test('a body in chunks of one byte takes about its own size', () => {
  const bytes = 2 ** 21;
  const pieces = new BytePieces(undefined);
  const one = Buffer.from('x');
  const before = process.memoryUsage();
  for (let count = 0; count < bytes; count += 1) pieces.add(one);
  const after = process.memoryUsage();
  const grown = after.external + after.heapUsed - before.external - before.heapUsed;
  assert.ok(grown < 8 * bytes, `${grown} bytes`);
  assert.equal(pieces.joined().length, bytes);
});
