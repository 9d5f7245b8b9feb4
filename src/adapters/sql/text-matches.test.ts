import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_EXAMINED, selectMatches } from './text-matches.ts';

describe('rows selected by a text', () => {
  it('compare every field, whatever the case and the composition of letters', () => {
    const rows = [
      { id: 'a', name: 'ÄRZTE' },
      { id: 'b', name: null },
      { id: 'c', name: 'A\u0308rzte' },
    ];
    assert.deepEqual(selectMatches(rows, 'ärz', 9), { ids: ['a', 'c'], next: undefined });
    assert.deepEqual(selectMatches(rows, 'B', 9), { ids: ['b'], next: undefined });
  });

  it('are each on exactly one page, for every size of the pages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: MAX_EXAMINED + 50 }),
        fc.integer({ min: 1, max: 60 }),
        (matches, limit) => {
          const rows = matches.map((isMatch, index) => ({
            id: String(index).padStart(6, '0'),
            name: isMatch ? 'wanted' : 'other',
          }));
          const found: string[] = [];
          for (let after: string | undefined = ''; after !== undefined; ) {
            const begin = rows.findIndex(({ id }) => id > (after ?? ''));
            const window = begin < 0 ? [] : rows.slice(begin, begin + MAX_EXAMINED);
            const { ids, next } = selectMatches(window, 'wanted', limit);
            found.push(...ids);
            after = next;
          }
          assert.deepEqual(
            found,
            rows.filter(({ name }) => name === 'wanted').map(({ id }) => id),
          );
        },
      ),
      { numRuns: 30 },
    );
  });
});
