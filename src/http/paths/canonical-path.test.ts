import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { canonicalPath } from './canonical-path.ts';

test('a mistyped path of the AI API is corrected', () => {
  for (const [mistyped, correct] of [
    ['/v1/v1/messages', '/v1/messages'],
    ['/v1/v1/v1/chat/completions', '/v1/chat/completions'],
    ['//v1/messages', '/v1/messages'],
    ['/v1//messages///count_tokens', '/v1/messages/count_tokens'],
    ['/v1/messages/', '/v1/messages'],
    ['/messages/', '/messages'],
    ['//models//', '/models'],
    ['/v1/v1beta/models/m:generateContent', '/v1beta/models/m:generateContent'],
    ['/openai//v1/v1/responses/', '/openai/v1/responses'],
    ['/anthropic/v1/v1/messages', '/anthropic/v1/messages'],
    ['/gemini/v1beta/v1beta/models/', '/gemini/v1beta/models'],
    ['/v1/jobs/', '/v1/jobs'],
  ] as const)
    assert.equal(canonicalPath(mistyped), correct);
});

test('a path outside the AI API, with escapes or with dot segments stays as it is', () => {
  for (const path of [
    '',
    '/',
    '//',
    '//admin/orgs',
    '/admin/orgs/',
    '/metrics/',
    '//health',
    '/v1/../admin/orgs',
    '/v1/./messages/',
    '/v1/%6dessages',
    '/%76%31/messages',
    '//evil.example/v1/messages',
    'http://evil.example/v1/messages',
    '*',
    `/v1/${'x'.repeat(3000)}/`,
  ])
    assert.equal(canonicalPath(path), path);
});

test('a corrected path never leads outside the AI API and needs no second correction', () => {
  const segment = fc.constantFrom(
    '',
    'v1',
    'v1beta',
    'openai',
    'admin',
    '..',
    '.',
    'messages',
    'x',
  );
  fc.assert(
    fc.property(fc.array(segment), (segments) => {
      const path = `/${segments.join('/')}`;
      const corrected = canonicalPath(path);
      assert.equal(canonicalPath(corrected), corrected);
      if (corrected !== path) assert.doesNotMatch(corrected, /^\/(?:admin|x|\.)|\/\//);
    }),
  );
});
