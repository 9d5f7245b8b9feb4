import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PROVIDER_FORMATS, type ProviderFormat } from '../../kernel/provider-format.ts';
import { requestHeaders } from './headers.ts';

const CALLER = {
  authorization: 'Bearer callers-canary',
  'x-api-key': 'callers-canary',
  'x-goog-api-key': 'callers-canary',
  cookie: 'callers-canary',
  'x-forwarded-for': 'callers-canary',
  'user-agent': 'callers-canary',
  'x-request-id': 'callers-canary',
  'x-simulator-scenario': 'callers-canary',
  host: 'callers-canary',
  'content-length': 'callers-canary',
  'transfer-encoding': 'callers-canary',
  'proxy-authorization': 'callers-canary',
};

function headersOf(format: ProviderFormat, incoming: Record<string, string | string[]>) {
  const flat = requestHeaders(format, 'our-key', incoming);
  assert.equal(flat.length % 2, 0);
  return new Map(
    Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2], flat[index * 2 + 1]]),
  );
}

test('the provider is asked for identity coding, regardless of the coding that the caller accepts', () => {
  for (const format of PROVIDER_FORMATS)
    assert.equal(
      headersOf(format, { 'accept-encoding': 'gzip' }).get('accept-encoding'),
      'identity',
    );
});

test('the provider credential is sent in the header of each format', () => {
  assert.equal(headersOf('anthropic', {}).get('x-api-key'), 'our-key');
  assert.equal(headersOf('openai', {}).get('authorization'), 'Bearer our-key');
  assert.equal(headersOf('gemini', {}).get('x-goog-api-key'), 'our-key');
});

test("the caller's credential, cookies, addresses and unknown headers are dropped", () => {
  for (const format of PROVIDER_FORMATS) {
    const sent = requestHeaders(format, 'our-key', CALLER);
    assert.ok(!sent.join().includes('callers-canary'), sent.join());
    assert.deepEqual(sent, requestHeaders(format, 'our-key', {}));
  }
});

test('only allow-listed headers of any caller are forwarded', () => {
  const allowed = new Set([
    'content-type',
    'user-agent',
    'accept-encoding',
    'anthropic-version',
    'anthropic-beta',
  ]);
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom(...Object.keys(CALLER), ...allowed, 'openai-beta', '__proto__'),
  );
  fc.assert(
    fc.property(fc.dictionary(names, fc.string(), { noNullPrototype: true }), (incoming) => {
      const passed = [...headersOf('anthropic', incoming).keys()];
      assert.deepEqual(
        passed.filter((name) => name !== 'x-api-key' && !allowed.has(name ?? '')),
        [],
      );
    }),
  );
});

test("a provider's own headers are forwarded, and the default version applies only when missing", () => {
  const given = headersOf('anthropic', {
    'anthropic-version': '2099-01-01',
    'anthropic-beta': 'effort-2025-11-24,unheard-of',
  });
  assert.equal(given.get('anthropic-version'), '2099-01-01');
  assert.equal(given.get('anthropic-beta'), 'effort-2025-11-24');
  assert.equal(headersOf('anthropic', {}).get('anthropic-version'), '2023-06-01');
  assert.equal(headersOf('openai', { 'openai-beta': 'x' }).get('openai-beta'), 'x');
  assert.equal(headersOf('openai', { 'anthropic-beta': 'x' }).has('anthropic-beta'), false);
});
