import assert from 'node:assert/strict';
import test from 'node:test';
import { matchRoute } from './route.ts';

const ROUTES: readonly (readonly [string, string, Record<string, string>, string])[] = [
  ['POST', '/v1/messages', {}, 'anthropic anthropic messages'],
  ['POST', '/v1/messages/count_tokens?beta=true', {}, 'anthropic anthropic count_tokens'],
  ['POST', '/v1/chat/completions', {}, 'openai openai chat_completions'],
  ['POST', '/v1/responses', {}, 'openai openai responses'],
  ['POST', '/v1/embeddings', {}, 'openai openai embeddings'],
  ['GET', '/v1/models', {}, 'openai openai models'],
  ['GET', '/v1/models', { 'anthropic-version': '2023-06-01' }, 'anthropic anthropic models'],
  ['GET', '/v1beta/models', {}, 'gemini gemini models'],
  ['POST', '/v1beta/models/g:generateContent', {}, 'gemini gemini generate_content'],
  ['POST', '/v1beta/models/g:countTokens', {}, 'gemini gemini count_tokens'],
  ['POST', '/v1beta/models/g:embedContent', {}, 'gemini gemini embeddings'],
  ['POST', '/v1beta/models/g:batchEmbedContents', {}, 'gemini gemini embeddings'],
  ['POST', '/groq/v1/chat/completions', {}, 'groq openai chat_completions'],
  ['POST', '/us-east/v1/messages', {}, 'us-east anthropic messages'],
  ['GET', '/v1/messages', {}, 'openai openai unknown'],
  ['POST', '/v1beta/models/g:tune', {}, 'gemini gemini unknown'],
  ['POST', '/a/b/v1/messages', {}, 'openai openai unknown'],
];

for (const [method, url, headers, expected] of ROUTES)
  test(`${method} ${url} is ${expected}`, () => {
    const { provider, dialect, operation } = matchRoute(method, url, headers);
    assert.equal(`${provider} ${dialect} ${operation}`, expected);
  });

test('a Gemini stream uses server-sent events only with alt=sse', () => {
  const url = '/v1beta/models/gemini-x:streamGenerateContent';
  assert.equal(matchRoute('POST', url, {}).streaming, 'json-array');
  assert.equal(matchRoute('POST', `${url}?alt=sse`, {}).streaming, 'sse');
});

test('a key in the query is read and removed from the path', () => {
  const route = matchRoute('POST', '/v1beta/models/g:generateContent?key=abc&x=1', {});
  assert.equal(route.queryKey, 'abc');
  assert.equal(route.path, '/v1beta/models/g:generateContent');
  assert.equal(route.pathModel, 'g');
});
