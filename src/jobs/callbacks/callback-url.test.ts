import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEgressRule } from '../../kernel/egress-rule.ts';
import { requireCallable } from './callback-url.ts';

const rule = createEgressRule(['10.1.2.3']);

test('a callback URL with a public address or a host name, or none, is accepted', () => {
  for (const url of [
    undefined,
    'https://example.com/hook',
    'http://8.8.8.8/',
    'http://10.1.2.3:8080/',
  ])
    requireCallable(url, rule);
});

test('a callback URL with a private address or a password is refused', () => {
  for (const url of [
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://localhost:3000/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://169.254.169.254/latest/meta-data',
    'https://user:password@example.com/',
  ])
    assert.throws(() => requireCallable(url, rule), {
      code: 'INVALID_REQUEST',
      params: { field: 'callbackUrl' },
    });
});
