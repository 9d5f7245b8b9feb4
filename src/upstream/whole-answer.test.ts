import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_USAGE } from '../kernel/usage.ts';
import { readUsage } from './usage-reader.ts';
import { isAnswer } from './whole-answer.ts';

function judge(answer: unknown): boolean {
  const body = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  return isAnswer(body, readUsage('openai', body));
}

const USAGE = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };

test('every answer of the formats is one, also what tells no usage', () => {
  for (const answer of [
    { choices: [], usage: USAGE },
    { output: [], status: 'completed', error: null, usage: USAGE },
    { output: [], status: 'incomplete', error: null, usage: null },
    { input_tokens: 3 },
    { totalTokens: 3 },
    { embedding: { values: [] } },
    { embeddings: [] },
    { promptFeedback: {} },
  ])
    assert.equal(judge(answer), true, JSON.stringify(answer));
});

test('a page, half an answer and a failure with a status of 200 are none', () => {
  for (const answer of ['<html>', '{"choices":[', '', '[]', { error: { message: 'no' } }, {}])
    assert.equal(judge(answer), false, JSON.stringify(answer));
});

test('a response that failed is none, whether it tells its usage or not', () => {
  const error = { code: 'server_error', message: 'words of the provider' };
  for (const usage of [USAGE, null])
    assert.equal(judge({ status: 'failed', error, output: [], usage }), false);
});

test('an answer that speaks of failing has not failed', () => {
  const content = 'The status is "failed".';
  assert.equal(
    judge({ status: 'completed', output: [{ status: 'failed', content }], usage: USAGE }),
    true,
  );
  assert.equal(isAnswer(Buffer.from('{"choices":["failed"]}'), NO_USAGE), true);
});
