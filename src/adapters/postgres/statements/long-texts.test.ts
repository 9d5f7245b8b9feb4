import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LongTexts } from './long-texts.ts';

/** As the server takes them apart. */
function apart([all, separator]: readonly [string, string]): readonly string[] {
  return all === '' ? [] : all.split(separator);
}

test('every text is found at its position, whatever characters it contains', () => {
  const text = fc.string({ unit: fc.constantFrom('\u001e', '0', '1', '\u001f', 'a', '"') });
  fc.assert(
    fc.property(fc.array(text), (given) => {
      const texts = new LongTexts();
      const numbers = given.map((each) => texts.add(each));
      const found = apart(texts.values());
      assert.deepEqual(
        numbers.map((number) => found[number - 1]),
        given,
      );
    }),
  );
});
