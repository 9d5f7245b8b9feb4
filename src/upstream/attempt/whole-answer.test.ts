import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { readUsage } from './read-usage.ts';
import { isAnswer } from './whole-answer.ts';

function judge(answer: unknown, format: ProviderFormat = 'openai'): boolean {
  const body = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  return isAnswer(format, body, readUsage(format, body));
}

const USAGE = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };

test('a response of each format is an answer, with or without usage', () => {
  for (const answer of [
    { choices: [], usage: USAGE },
    { output: [], status: 'completed', error: null, usage: USAGE },
    { output: [], status: 'incomplete', error: null, usage: null },
  ])
    assert.equal(judge(answer), true, JSON.stringify(answer));
  for (const answer of [{ content: [] }, { input_tokens: 3 }])
    assert.equal(judge(answer, 'anthropic'), true, JSON.stringify(answer));
  for (const answer of [
    { totalTokens: 3 },
    { embedding: { values: [] } },
    { embeddings: [] },
    { promptFeedback: {} },
  ])
    assert.equal(judge(answer, 'gemini'), true, JSON.stringify(answer));
});

test("another format's response is not an answer", () => {
  assert.equal(judge({ candidates: [] }), false);
  assert.equal(judge({ stopReason: 'guardrail_intervened', output: {} }), false);
  assert.equal(judge({ choices: [] }, 'anthropic'), false);
  assert.equal(judge({ content: [] }, 'gemini'), false);
});

test('a page, a cut response and an error body are not answers', () => {
  for (const answer of ['<html>', '{"choices":[', '', '[]', { error: { message: 'no' } }, {}])
    assert.equal(judge(answer), false, JSON.stringify(answer));
});

test('a failed response is not an answer, with or without usage', () => {
  const error = { code: 'server_error', message: 'words of the provider' };
  for (const usage of [USAGE, null])
    assert.equal(judge({ status: 'failed', error, output: [], usage }), false);
});

test('an answer whose text mentions failure is an answer', () => {
  const content = 'The status is "failed".';
  assert.equal(
    judge({ status: 'completed', output: [{ status: 'failed', content }], usage: USAGE }),
    true,
  );
  assert.equal(isAnswer('openai', Buffer.from('{"choices":["failed"]}'), NO_USAGE), true);
});
