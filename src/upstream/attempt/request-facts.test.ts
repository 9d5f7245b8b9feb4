import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestTokensOf } from './request-facts.ts';

for (const field of ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'])
  test(`a request's tokens are its bytes and its ${field}`, () => {
    const body = Buffer.from(JSON.stringify({ [field]: 5000, prompt: 'x'.repeat(4000) }));
    const tokens = requestTokensOf(body);
    assert.ok(tokens > 6000 && tokens < 6100, String(tokens));
  });

test('a maximum that a prompt quotes is not counted', () => {
  const body = Buffer.from(JSON.stringify({ prompt: JSON.stringify({ max_tokens: 5000 }) }));
  assert.ok(requestTokensOf(body) < 100);
});
