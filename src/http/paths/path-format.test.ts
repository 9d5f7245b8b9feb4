import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOfPath } from './path-format.ts';

const NO_OWN = () => false;

test('the path decides the format of an error', () => {
  for (const [path, format] of [
    ['/anthropic/v1/files', 'anthropic'],
    ['/openai/v1/audio/speech', 'openai'],
    ['/gemini/upload/v1beta/files', 'gemini'],
    ['/v1beta/cachedContents', 'gemini'],
    ['/v1alpha/files', 'gemini'],
    ['/v1/models/m:predictLongRunning', 'gemini'],
    ['/models/m:predictLongRunning', 'gemini'],
    ['/v1/messages/batches', 'anthropic'],
    ['/messages/batches', 'anthropic'],
    ['/v1/files', 'openai'],
    ['/v1/models/llama3:8b', 'openai'],
    ['/completions', 'openai'],
    ['/v1', 'openai'],
    ['/openaix', 'spillway'],
    ['/favicon.ico', 'spillway'],
    ['/', 'spillway'],
  ] as const)
    assert.equal(formatOfPath(path, {}, NO_OWN), format, path);
});

test('the headers of a vendor decide where the path does not', () => {
  const anthropic = { 'anthropic-version': '2023-06-01' };
  assert.equal(formatOfPath('/v1/files', anthropic, NO_OWN), 'anthropic');
  assert.equal(formatOfPath('/organizations', anthropic, NO_OWN), 'anthropic');
  assert.equal(formatOfPath('/v1beta/files', anthropic, NO_OWN), 'gemini');
  assert.equal(formatOfPath('/upload/files', { 'x-goog-api-key': 'k' }, NO_OWN), 'gemini');
  assert.equal(formatOfPath('/files', { 'user-agent': 'OpenAI/JS 7.0.0' }, NO_OWN), 'openai');
});

test("a path below Spillway's own endpoints has Spillway's format regardless of the headers", () => {
  const headers = { 'anthropic-version': '2023-06-01' };
  const isOwn = (path: string) => path.startsWith('/v1/jobs');
  assert.equal(formatOfPath('/v1/jobs/j/nothing', headers, isOwn), 'spillway');
});
