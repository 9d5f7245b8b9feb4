import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { decodeBody } from './decode-body.ts';

const TEXT = '{"model":"claude-sonnet-5-5"}';

function decode(body: Buffer, encoding: string | undefined, limit = 1000): Promise<string> {
  return new Promise((resolve, reject) =>
    decodeBody(body, encoding, limit, (error, decoded) =>
      error ? reject(error) : resolve(decoded.toString()),
    ),
  );
}

test('gzip, deflate, br and zstd bodies are decoded', async () => {
  assert.equal(await decode(gzipSync(TEXT), 'gzip'), TEXT);
  assert.equal(await decode(deflateSync(TEXT), 'deflate'), TEXT);
  assert.equal(await decode(brotliCompressSync(TEXT), 'BR'), TEXT);
  assert.equal(await decode(zstdCompressSync(TEXT), 'zstd'), TEXT);
});

test('a byte-order mark is skipped, plain or encoded', async () => {
  const marked = Buffer.from(`\ufeff${TEXT}`);
  assert.equal(await decode(marked, undefined), TEXT);
  assert.equal(await decode(gzipSync(marked), 'gzip'), TEXT);
});

test('a body that inflates above the limit is REQUEST_TOO_LARGE with the limit', async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000, 0x20));
  await assert.rejects(decode(bomb, 'gzip', 1000), (error) => {
    assert.ok(error instanceof SpillwayError);
    assert.equal(error.code, 'REQUEST_TOO_LARGE');
    assert.deepEqual(error.params, { limit: 1000 });
    return true;
  });
});

test('an unknown coding, a chain of codings and a broken body are refused by name', async () => {
  for (const [body, encoding, problem] of [
    [Buffer.from(TEXT), 'compress', 'unsupported_encoding'],
    [gzipSync(gzipSync(TEXT)), 'gzip, gzip', 'unsupported_encoding'],
    [Buffer.from('not gzip'), 'gzip', 'malformed_encoding'],
  ] as const)
    await assert.rejects(decode(body, encoding), { code: 'INVALID_REQUEST', params: { problem } });
});
