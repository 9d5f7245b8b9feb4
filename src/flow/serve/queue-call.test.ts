import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersAsync } from './queue-call.ts';

test('respond-async is recognised among other preferences', () => {
  for (const prefer of [
    'respond-async',
    'Respond-Async',
    ' respond-async ',
    'respond-async, wait=10',
    'wait=10, respond-async',
    'wait=10,respond-async;x=1',
    'return=minimal; q="a", respond-async ; b',
  ])
    assert.equal(prefersAsync({ prefer }), true, prefer);
});

test('repeated Prefer headers are one list', () => {
  assert.equal(prefersAsync({ prefer: ['wait=10', 'respond-async'] }), true);
  assert.equal(prefersAsync({ prefer: ['wait=10', 'return=minimal'] }), false);
});

test('other values are not respond-async', () => {
  assert.equal(prefersAsync({}), false);
  for (const prefer of [
    '',
    'wait=10',
    'respond-asynchronously',
    'do-not-respond-async',
    'return=respond-async',
    'return=minimal; respond-async',
    'note="respond-async"',
  ])
    assert.equal(prefersAsync({ prefer }), false, prefer);
});
