import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { knownField, leadingPath } from './request-field.ts';

test('a field of a known request format is returned with its indexes', () => {
  assert.equal(knownField('max_tokens'), 'max_tokens');
  assert.equal(knownField('messages[3].content'), 'messages.3.content');
  assert.equal(knownField('tools.0.function.parameters'), 'tools.0.function.parameters');
  assert.equal(knownField('body.messages'), 'messages');
});

test('anything else yields no field, so that no provider text passes', () => {
  for (const path of [
    'sk-live-123',
    'messages.canary',
    '42',
    '',
    'https://internal',
    '__proto__',
  ]) {
    assert.equal(knownField(path), undefined, path);
  }
  fc.assert(
    fc.property(fc.string(), (path) => {
      const field = knownField(`canary${path}`);
      assert.equal(field, undefined);
    }),
  );
});

test('a path in front of a sentence is found', () => {
  assert.equal(leadingPath('messages.0.content.1: bad'), 'messages.0.content.1');
  assert.equal(leadingPath('Something happened: bad'), undefined);
});
