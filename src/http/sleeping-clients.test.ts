import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleepsOnRetryAfter } from './sleeping-clients.ts';

test('Codex and the requests of OpenAI’s Python SDK sleep on Retry-After; other clients do not', () => {
  for (const client of ['codex_exec/0.166.0 (Linux; x86_64) dumb', 'OpenAI/Python 2.54.0'])
    assert.equal(sleepsOnRetryAfter({ 'user-agent': client }), true, client);
  for (const client of ['OpenAI/JS 7.53.0', 'claude-cli/2.1.197', 'curl/8.5.0', 'my-codex/1'])
    assert.equal(sleepsOnRetryAfter({ 'user-agent': client }), false, client);
  assert.equal(sleepsOnRetryAfter({}), false);
});
