import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LineRing } from './line-ring.ts';

const SIZES = [0, 1, 600, 1023, 1024, 1025, 5000];
const anyLine = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...SIZES).map((size) => 'x'.repeat(size)),
  fc.constantFrom(...SIZES).map((size) => `é${'x'.repeat(size)}`),
);

test('a ring has exactly the last lines, newest first, whatever their size and characters', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(anyLine), (capacity, lines) => {
      const ring = new LineRing(capacity);
      for (const line of lines) ring.push(line);
      assert.deepEqual(ring.lines(), lines.toReversed().slice(0, capacity));
    }),
  );
});
