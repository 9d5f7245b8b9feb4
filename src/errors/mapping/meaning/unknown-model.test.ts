import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorParams } from '../../codes.ts';
import { mapProviderError } from '../../map-provider-error.ts';

function paramsOf(status: number, error: object, model?: string): ErrorParams {
  const failure = { status, body: JSON.stringify({ error }) };
  return mapProviderError(failure, model === undefined ? {} : { model }).params;
}

const UNKNOWN = { field: 'model', problem: 'unknown_model' };

test('a code for an unknown model names the problem', () => {
  for (const code of ['model_not_found', 'DeploymentNotFound', 'NoSuchModel'])
    assert.deepEqual(paramsOf(404, { code, message: 'It does not exist.' }), UNKNOWN, code);
});

test('a 404 with the name of the model in its sentence is an unknown model', () => {
  const anthropic = { type: 'not_found_error', message: 'model: claude-9-huge' };
  assert.deepEqual(paramsOf(404, anthropic, 'claude-9-huge'), UNKNOWN);
  const gemini = { status: 'NOT_FOUND', message: 'models/gemini-0 is not found for v1beta.' };
  assert.deepEqual(paramsOf(404, gemini, 'gemini-0'), UNKNOWN);
});

test('a 404 for another thing, and another status with the name, do not', () => {
  const file = { type: 'not_found_error', message: 'File file_1 was not found.' };
  assert.deepEqual(paramsOf(404, file, 'claude-9'), {});
  const limits = { type: 'invalid_request_error', message: 'max_tokens: too large for claude-9' };
  assert.deepEqual(paramsOf(400, limits, 'claude-9'), { field: 'max_tokens' });
});
