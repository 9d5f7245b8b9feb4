import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { capToTokens, tokensOfText } from './tokens.ts';

test('a token is four bytes, rounded up', () => {
  assert.equal(tokensOfText(''), 0);
  assert.equal(tokensOfText('a'), 1);
  assert.equal(tokensOfText('abcd'), 1);
  assert.equal(tokensOfText('abcde'), 2);
  assert.equal(tokensOfText('ééé'), 2);
});

test('a capped text is a prefix, costs at most the cap, and splits no character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, maxTokens) => {
      const capped = capToTokens(text, maxTokens);
      assert.ok(text.startsWith(capped));
      assert.ok(tokensOfText(capped) <= maxTokens);
      assert.ok(!capped.includes('\uFFFD') || text.includes('\uFFFD'));
    }),
  );
});
