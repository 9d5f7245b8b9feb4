import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SpillwayError } from '../errors/spillway-error.ts';
import { beginFingerprint, fingerprintOf, readIdempotencyKey } from './idempotency-key.ts';

const BODY = Buffer.from('{"model":"m"}');

test('a key is read unchanged, and a missing header is no key', () => {
  assert.equal(readIdempotencyKey({ 'idempotency-key': '"8e03978e-40d5"' }), '"8e03978e-40d5"');
  assert.equal(readIdempotencyKey({ 'idempotency-key': 'x'.repeat(255) })?.length, 255);
  assert.equal(readIdempotencyKey({}), undefined);
});

test('an invalid key is refused with the name of its header', () => {
  for (const wrong of ['', ' ', 'two words', 'one, two', 'ü', 'a\tb', 'x'.repeat(256)])
    assert.throws(
      () => readIdempotencyKey({ 'idempotency-key': wrong }),
      (error) =>
        error instanceof SpillwayError &&
        error.code === 'INVALID_REQUEST' &&
        error.params.field === 'Idempotency-Key',
    );
});

test('a different method, path, query or body has a different fingerprint', () => {
  const prints = [
    fingerprintOf('POST', '/v1/jobs', BODY),
    fingerprintOf('PUT', '/v1/jobs', BODY),
    fingerprintOf('POST', '/v1/messages', BODY),
    fingerprintOf('POST', '/v1/jobs?alt=sse', BODY),
    fingerprintOf('POST', '/v1/jobs', Buffer.from('{"model":"n"}')),
    fingerprintOf('POST', '/v1/jobs', Buffer.alloc(0)),
  ];
  assert.equal(new Set(prints).size, prints.length);
});

test('the credential in a URL does not change the fingerprint', () => {
  const plain = fingerprintOf('POST', '/v1beta/models/g:generateContent', BODY);
  assert.equal(fingerprintOf('POST', '/v1beta/models/g:generateContent?key=secret', BODY), plain);
  const query = fingerprintOf('POST', '/v1beta/models/g:generateContent?alt=sse', BODY);
  assert.equal(
    fingerprintOf('POST', '/v1beta/models/g:generateContent?key=secret&alt=sse', BODY),
    query,
  );
});

test('the fingerprint of a body does not depend on its chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (pieces) => {
      const hash = beginFingerprint('POST', '/v1/jobs');
      for (const piece of pieces) hash.update(piece);
      assert.equal(
        hash.digest('base64url'),
        fingerprintOf('POST', '/v1/jobs', Buffer.concat(pieces)),
      );
    }),
  );
});
