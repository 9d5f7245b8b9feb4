import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { providerErrorType } from './provider-error-type.ts';

const BODIES: readonly (readonly [unknown, string | undefined])[] = [
  [
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'overloaded_error',
  ],
  [{ error: { message: 'quota', type: 'insufficient_quota', code: null } }, 'insufficient_quota'],
  [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }, 'RESOURCE_EXHAUSTED'],
  [[{ error: { code: 503, status: 'UNAVAILABLE' } }], 'UNAVAILABLE'],
  [{ error: 'the whole prompt was: hello' }, undefined],
  [{ error: { type: 'my secret is sk-ant-api03-abcdef' } }, undefined],
  [{ error: { type: 'x'.repeat(65) } }, undefined],
];

test("a provider's error type is read from its body, and prose is left out", () => {
  for (const [body, expected] of BODIES)
    assert.equal(providerErrorType({ status: 400, body: JSON.stringify(body) }), expected);
});

test('the error event of a stream and the code of a connection are read too', () => {
  const event = 'event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n';
  assert.equal(providerErrorType({ body: Buffer.from(event) }), 'api_error');
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  assert.equal(providerErrorType(reset), 'ECONNRESET');
});

test('any cause gives a short name or nothing', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (cause, body) => {
      for (const given of [cause, { body }, { body: cause }]) {
        const type = providerErrorType(given);
        assert.ok(type === undefined || /^\w{2,64}$/.test(type));
      }
    }),
  );
});
