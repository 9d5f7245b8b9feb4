import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isPattern, matchesPattern } from './name-pattern.ts';

test('a pattern matches like a regular expression with `.*` for each star', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*', '.'), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.'), maxLength: 10 });
  fc.assert(
    fc.property(pattern, name, (claimed, asked) => {
      const parts = claimed.split('*').map((part) => RegExp.escape(part));
      assert.equal(matchesPattern(claimed, asked), new RegExp(`^${parts.join('.*')}$`).test(asked));
    }),
    { numRuns: 500 },
  );
});

test('a name is a pattern only if it contains a star', () => {
  assert.equal(isPattern('gpt-*'), true);
  assert.equal(isPattern('gpt-5.?'), false);
});
