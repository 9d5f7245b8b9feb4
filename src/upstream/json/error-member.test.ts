import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorIn } from './error-member.ts';

const ERROR = { code: 502, message: 'Upstream error from somewhere' };

function found(body: object): unknown {
  const error = errorIn(Buffer.from(JSON.stringify(body)));
  return error && JSON.parse(error.toString());
}

test('an error beside or among the choices is found, with or without text', () => {
  const choice = { finish_reason: 'error', message: { content: 'Half' } };
  const usage = { prompt_tokens: 3 };
  assert.deepEqual(found({ choices: [choice, { ...choice, error: ERROR }], usage }), {
    error: ERROR,
  });
  assert.deepEqual(found({ candidates: [{ index: 0, error: ERROR }] }), { error: ERROR });
  assert.deepEqual(found({ type: 'error', error: ERROR, usage }), { error: ERROR });
  assert.deepEqual(found({ error: 'no', usageMetadata: {} }), { error: 'no' });
});

test('an error after megabytes of text is found, and its own length is bounded', () => {
  const content = 'x'.repeat(2_000_000);
  assert.deepEqual(found({ choices: [{ message: { content } }], error: ERROR }), { error: ERROR });
  const long = errorIn(Buffer.from(JSON.stringify({ error: { message: content } })));
  assert.ok(long && long.length < 9000);
});

test('null errors, texts about errors and fields of tools are no errors', () => {
  const input = { error: { code: 1 } };
  for (const body of [
    { choices: [{ finish_reason: 'stop', error: null }], error: null },
    { content: [{ type: 'tool_use', input }] },
    { candidates: [{ content: { parts: [{ functionCall: { args: input } }] } }] },
    { output: [{ type: 'mcp_call', error: 'the tool failed' }] },
    { choices: [{ message: { content: '"error": {"code": 1}' } }] },
  ])
    assert.equal(found(body), undefined, JSON.stringify(body));
});
