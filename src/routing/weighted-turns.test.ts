import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WeightedTurns } from './weighted-turns.ts';

type Candidate = { readonly name: string; readonly weight: number };

function chosenIn(candidates: readonly Candidate[], count: number): readonly string[] {
  const turns = new WeightedTurns<Candidate>(({ weight }) => weight);
  return Array.from({ length: count }, () => turns.next(candidates)[0]?.name ?? '');
}

test('turns are in proportion to the weights and spread evenly', () => {
  const candidates = [
    { name: 'small', weight: 100 },
    { name: 'large', weight: 300 },
  ];
  const cycle = ['large', 'small', 'large', 'large'];
  assert.deepEqual(chosenIn(candidates, 8), [...cycle, ...cycle]);
});

test('turns never drift from the weights by more than one per other candidate', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(weights, fc.integer({ min: 1, max: 200 }), (given, count) => {
      const candidates = given.map((weight, index) => ({ name: String(index), weight }));
      const chosen = chosenIn(candidates, count);
      const total = given.reduce((sum, weight) => sum + weight, 0);
      for (const { name, weight } of candidates) {
        const turns = chosen.filter((each) => each === name).length;
        assert.ok(Math.abs(turns - (count * weight) / total) <= candidates.length - 1);
      }
    }),
  );
});

test('every candidate is in the order once, and no candidates give an empty order', () => {
  const turns = new WeightedTurns<string>(() => 1);
  assert.deepEqual(new Set(turns.next(['a', 'b', 'c'])), new Set(['a', 'b', 'c']));
  assert.deepEqual(turns.next([]), []);
});
