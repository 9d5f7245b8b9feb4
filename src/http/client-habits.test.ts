import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorParams } from '../errors/codes.ts';
import { toPublicAnswer } from '../errors/public-answer.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { sleepsOnRetryAfter, statusFor } from './client-habits.ts';

test('Codex and the requests of OpenAI’s Python SDK sleep on Retry-After; other clients do not', () => {
  for (const client of ['codex_exec/0.166.0 (Linux; x86_64) dumb', 'OpenAI/Python 2.54.0'])
    assert.equal(sleepsOnRetryAfter({ 'user-agent': client }), true, client);
  for (const client of ['OpenAI/JS 7.53.0', 'claude-cli/2.1.197', 'curl/8.5.0', 'my-codex/1'])
    assert.equal(sleepsOnRetryAfter({ 'user-agent': client }), false, client);
  assert.equal(sleepsOnRetryAfter({}), false);
});

test('a failure that no retry can fix is 424 for an agent, 400 for LiteLLM and its own status for an SDK', () => {
  const context = { requestId: 'req_1', locale: 'en', timeZone: 'UTC', now: 0 };
  const statusOf = (code: SpillwayError['code'], client: string, params: ErrorParams = {}) =>
    statusFor(
      { 'user-agent': client },
      'openai',
      toPublicAnswer(new SpillwayError(code, 'internal', { params }), context),
    );
  for (const agent of [
    'codex_exec/0.166.0',
    'ai/7.0.169 ai-sdk/openai/4.0.114',
    'opencode/1.18.33',
  ]) {
    assert.equal(statusOf('AUTH_FAILED', agent), 424);
    assert.equal(statusOf('PROVIDER_UNAVAILABLE', agent), 503);
    assert.equal(statusOf('UNAUTHORIZED', agent), 401);
  }
  assert.equal(statusOf('AUTH_FAILED', 'litellm/1.106.2'), 400);
  assert.equal(statusOf('BUDGET_EXCEEDED', 'litellm/1.106.2'), 400);
  assert.equal(statusOf('PROVIDER_UNAVAILABLE', 'litellm/1.106.2', { reason: 'error' }), 500);
  assert.equal(statusOf('RATE_LIMITED', 'litellm/1.106.2'), 429);
  assert.equal(statusOf('BUDGET_EXCEEDED', 'codex_exec/0.166.0'), 402);
  assert.equal(statusOf('AUTH_FAILED', 'OpenAI/JS 7.53.0'), 502);
  assert.equal(statusOf('AUTH_FAILED', ''), 502);
});
