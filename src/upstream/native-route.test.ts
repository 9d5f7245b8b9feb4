import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PROVIDER_FORMATS } from '../kernel/provider-format.ts';
import { chargeOf, matchNativeRoute, NATIVE_PATHS, nativePath } from './native-route.ts';

test('a documented path matches its format and upstream path', () => {
  for (const path of NATIVE_PATHS) {
    const route = matchNativeRoute(path.replace('{model}', 'gemini-2.5-flash'));
    assert.ok(route, path);
    const isGemini = path.includes('{model}');
    const expected = isGemini ? 'gemini' : path.includes('/messages') ? 'anthropic' : 'openai';
    assert.equal(route.format, expected, path);
    assert.equal(route.isStreamPath, path.includes('stream'), path);
    assert.equal(route.pathModel, isGemini ? 'gemini-2.5-flash' : undefined, path);
    assert.equal(route.query, '');
    assert.ok(NATIVE_PATHS.includes(route.endpoint), path);
  }
});

test('an endpoint matches under every base URL of an SDK', () => {
  const cases = [
    ['/v1/messages', ['/messages', '/anthropic/v1/messages', '/anthropic/messages']],
    ['/v1/messages/count_tokens', ['/anthropic/v1/messages/count_tokens']],
    ['/v1/chat/completions', ['/chat/completions', '/openai/chat/completions']],
    ['/v1/responses', ['/responses', '/openai/responses', '/openai/v1/responses']],
    ['/v1/responses/compact', ['/responses/compact', '/openai/v1/responses/compact']],
    ['/v1/responses/input_tokens', ['/responses/input_tokens', '/openai/responses/input_tokens']],
    ['/v1/embeddings', ['/embeddings', '/openai/embeddings', '/openai/v1/embeddings']],
    [
      '/v1beta/models/m:countTokens',
      ['/gemini/v1beta/models/m:countTokens', '/models/m:countTokens'],
    ],
    ['/v1beta/models/m:embedContent', ['/gemini/models/m:embedContent']],
    ['/v1beta/models/m:batchEmbedContents', ['/gemini/models/m:batchEmbedContents']],
  ] as const;
  for (const [path, others] of cases) {
    const expected = matchNativeRoute(path);
    assert.ok(expected);
    for (const other of others) {
      const route = matchNativeRoute(other);
      assert.equal(route?.endpoint, expected.endpoint, other);
      assert.equal(route?.upstreamPath('m'), expected.upstreamPath('m'), other);
    }
  }
});

test("Google's API version is forwarded as requested", () => {
  for (const version of ['v1', 'v1alpha', 'v1beta']) {
    const path = `/${version}/models/m:generateContent`;
    assert.equal(matchNativeRoute(`/gemini${path}`)?.upstreamPath('m'), path);
  }
});

test('counting tokens is free, embeddings are charged by input', () => {
  const charges = [
    ['/v1/messages/count_tokens', 'nothing'],
    ['/v1beta/models/m:countTokens', 'nothing'],
    ['/v1/responses/input_tokens', 'nothing'],
    ['/v1/responses/compact', 'input_and_output'],
    ['/v1/embeddings', 'input'],
    ['/v1beta/models/m:batchEmbedContents', 'input'],
    ['/v1/responses', 'input_and_output'],
  ] as const;
  for (const [path, charge] of charges) {
    const route = matchNativeRoute(path);
    assert.equal(route && chargeOf(route.operation), charge, path);
  }
});

test('nativePath gives the path that a job calls', () => {
  const urls = { anthropic: '/v1/messages', openai: '/v1/chat/completions', gemini: '' };
  for (const format of PROVIDER_FORMATS) {
    const url = urls[format] || '/gemini/v1beta/models/m-1:generateContent';
    assert.equal(matchNativeRoute(url)?.upstreamPath('m-1'), nativePath(format, 'm-1'));
  }
});

test('the query is forwarded without the credential', () => {
  const path = '/v1beta/models/m:streamGenerateContent';
  const cases = [
    ['?alt=sse', '?alt=sse', undefined],
    ['?key=secret', '', 'secret'],
    ['?key=secret&alt=sse', '?alt=sse', 'secret'],
    ['?alt=sse&key=secret&key=other', '?alt=sse', 'secret'],
    ['?%6bey=sec%72et&&alt=sse', '?alt=sse', 'secret'],
    ['?key', '', ''],
    ['?key=%zz', '', '%zz'],
    ['?monkey=1&KEY=2', '?monkey=1&KEY=2', undefined],
    ['?', '', undefined],
  ] as const;
  for (const [query, kept, key] of cases) {
    const route = matchNativeRoute(path + query);
    assert.deepEqual([route?.query, route?.queryKey], [kept, key], query);
  }
});

test('a key in the query of another format is dropped and is not a credential', () => {
  for (const path of ['/v1/messages', '/openai/v1/chat/completions']) {
    const route = matchNativeRoute(`${path}?key=secret&beta=true&%6Bey=secret`);
    assert.equal(route?.queryKey, undefined);
    assert.equal(route?.query, '?beta=true');
  }
});

test('a path that only resembles an AI endpoint does not match', () => {
  for (const url of [
    '',
    '/',
    '//v1/messages',
    '/v1/messages/',
    '/V1/messages',
    '/v1/messages%2f',
    '/v1/messages;a=b',
    '/v1/messages#x',
    '/openai/v1/messages',
    '/anthropic/v1/chat/completions',
    '/anthropic/anthropic/v1/messages',
    'http://elsewhere/v1/messages',
    '/v1beta/models/m',
    '/v1beta/models/m:predict',
    '/v1/files',
    '/v1beta/models/m:generateContent/',
    '/v1beta/models/:generateContent',
    '/v1beta/models/m:constructor',
    '/geminiv1beta/models/m:generateContent',
    '/gemini/gemini/v1beta/models/m:generateContent',
  ])
    assert.equal(matchNativeRoute(url), undefined, url);
});

test('a model cannot leave its path segment in any encoding', () => {
  for (const model of [
    '..',
    '../x',
    '%2e%2e%2fx',
    '..%2f..%2ffiles',
    'a%3fb',
    'a%23b',
    'a%00b',
    'a%0d%0ab',
    '%',
    '%ff',
    'a b',
    'a\\b',
    'x'.repeat(201),
  ])
    assert.equal(matchNativeRoute(`/v1beta/models/${model}:generateContent`), undefined, model);
  const route = matchNativeRoute('/v1beta/models/tuned%2Fm-1:generateContent');
  assert.equal(route?.pathModel, 'tuned/m-1');
  assert.equal(route?.upstreamPath('tuned/m-1'), '/v1beta/models/tuned%2Fm-1:generateContent');
});

test('the upstream path of any URL stays in its folder and contains no key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.webQueryParameters(), (model, query) => {
      const url = `/v1beta/models/${model}:generateContent?${query}&key=canary-secret`;
      const route = matchNativeRoute(url);
      if (!route || route.pathModel === undefined) return;
      const path = route.upstreamPath(route.pathModel);
      assert.match(path, /^\/v1beta\/models\/[\w.@%-]+:generateContent$/);
      assert.ok(!route.query.includes('canary-secret'));
    }),
  );
});
