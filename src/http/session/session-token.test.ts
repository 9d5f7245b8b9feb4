import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { issueSession, readSession, sessionKey } from './session-token.ts';

const key = sessionKey('an-admin-key-for-tests-0123456789abcdef');

test('a token is valid until it expires', () => {
  const token = issueSession(key, 2000);
  assert.equal(readSession(key, token, 1999), 2000);
  assert.equal(readSession(key, token, 2000), undefined);
});

test('a token signed under another admin key is refused', () => {
  const token = issueSession(sessionKey('another-admin-key-0123456789abcdefgh'), 2000);
  assert.equal(readSession(key, token, 0), undefined);
});

test('two sessions have different tokens', () => {
  assert.notEqual(issueSession(key, 2000), issueSession(key, 2000));
});

test('a token with one changed character is refused', () => {
  const token = issueSession(key, 2000);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom('0', 'A', '.', '-'), (at, character) => {
      fc.pre(token[at] !== character);
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      // The last character of a base64url digest has two bits that do not count; the text is compared, not the bytes.
      assert.equal(readSession(key, changed, 0), undefined);
    }),
  );
});

test('never throws on arbitrary text', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      assert.equal(readSession(key, text, 0), undefined);
    }),
  );
});
