import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { knownField, leadingPath } from './request-field.ts';

test('a field of a request format is named, with its indexes', () => {
  assert.equal(knownField('max_tokens'), 'max_tokens');
  assert.equal(knownField('messages[3].content'), 'messages.3.content');
  assert.equal(knownField('tools.0.function.parameters'), 'tools.0.function.parameters');
  assert.equal(knownField('body.messages'), 'messages');
});

test('anything else is no field, so nothing a provider wrote passes', () => {
  for (const said of [
    'sk-live-123',
    'messages.canary',
    '42',
    '',
    'https://internal',
    '__proto__',
  ]) {
    assert.equal(knownField(said), undefined, said);
  }
  fc.assert(
    fc.property(fc.string(), (said) => {
      const field = knownField(`canary${said}`);
      assert.equal(field, undefined);
    }),
  );
});

test('a path in front of a sentence is found', () => {
  assert.equal(leadingPath('messages.0.content.1: bad'), 'messages.0.content.1');
  assert.equal(leadingPath('Something happened: bad'), undefined);
});
