import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AttemptMap } from './attempt-map.ts';

/** Few characters in front, none behind: most ids differ only where the hash does not look. */
const id = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'req_1', ''), fc.constantFrom('0123456789ab.1', '.1', ''))
  .map(([start, end]) => start + end);

test('an attempt map equals a Map after any sequence of changes, even for ids with equal hashes', () => {
  const change = fc.record({ id, value: fc.nat(), isDelete: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const map = new AttemptMap<number>();
      const model = new Map<string, number>();
      for (const { id: key, value, isDelete } of changes) {
        if (isDelete) {
          map.delete(key);
          model.delete(key);
        } else {
          map.set(key, value);
          model.set(key, value);
        }
        assert.equal(map.size, model.size);
        assert.equal(map.get(key), model.get(key));
        assert.equal(map.has(key), model.has(key));
        assert.deepEqual(sorted(map.values()), sorted(model.values()));
      }
    }),
  );
});

function sorted(values: Iterable<number>): readonly number[] {
  return [...values].toSorted((one, other) => one - other);
}
