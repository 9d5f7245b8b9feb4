// Content codings of request bodies on Spillway's own routes; calls/uploads.test.ts covers the AI endpoints.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  brotliCompressSync,
  deflateSync,
  gzipSync,
  type InputType,
  zstdCompressSync,
} from 'node:zlib';
import { textAt, valueAt } from '../../support/response-fields.ts';
import { type AdminRig, openAdminRig } from './admin-rig.ts';

const CODINGS: readonly (readonly [name: string, encode: (text: InputType) => Buffer])[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
];

let rig: AdminRig;
before(async () => {
  rig = await openAdminRig();
});
after(() => rig.close());

async function post(path: string, encoding: string, body: Buffer, key: string | undefined) {
  const response = await fetch(`${rig.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
    },
    body: new Uint8Array(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

test('every coding is accepted by the routes of operators and of callers', async () => {
  const { adminKey, apiKey } = rig.gateway.identity;
  for (const [name, encode] of CODINGS) {
    const org = encode(JSON.stringify({ id: `coded-${name}`, name: 'Ünïcode ☂' }));
    const created = await post('/admin/orgs', name, org, adminKey);
    assert.equal(created.status, 201, created.text);
    assert.equal(textAt(created.body, 'name'), 'Ünïcode ☂');
    const job = encode(JSON.stringify({ prompt: 'Hello', model: 'claude-sonnet-4-5' }));
    const submitted = await post('/v1/jobs', name.toUpperCase(), job, apiKey);
    assert.equal(submitted.status, 202, submitted.text);
    const event = encode(JSON.stringify({ type: 'text', text: 'built' }));
    const written = await post('/v1/builds/coded/events', name, event, apiKey);
    assert.equal(written.status, 201, written.text);
  }
});

test('an identity coding is no coding', async () => {
  const body = Buffer.from(JSON.stringify({ id: 'identity' }));
  const { adminKey } = rig.gateway.identity;
  assert.equal((await post('/admin/orgs', 'identity', body, adminKey)).status, 201);
});

test('an unknown coding and a chain of codings are 415 with the accepted ones', async () => {
  const { adminKey, apiKey } = rig.gateway.identity;
  for (const encoding of ['compress', 'gzip, gzip'])
    for (const [path, key] of [
      ['/admin/orgs', adminKey],
      ['/v1/jobs', apiKey],
      ['/v1/messages', apiKey],
    ] as const) {
      const refused = await post(path, encoding, Buffer.from('{}'), key);
      assert.equal(refused.status, 415, refused.text);
      assert.equal(refused.headers.get('accept-encoding'), 'gzip, deflate, br, zstd');
      assert.equal(valueAt(refused.body, 'error', 'spillway_code'), 'INVALID_REQUEST');
    }
});

test('a body that does not match its coding is 400 and says so', async () => {
  const { adminKey } = rig.gateway.identity;
  const whole = gzipSync(JSON.stringify({ id: 'broken' }));
  for (const body of [Buffer.from('{"id":"broken"}'), whole.subarray(0, whole.length - 9)]) {
    const refused = await post('/admin/orgs', 'gzip', body, adminKey);
    assert.equal(refused.status, 400, refused.text);
    assert.match(textAt(refused.body, 'error', 'message'), /does not match its content encoding/);
  }
});

test('a body that inflates above the limit of the route is 413', async () => {
  const { adminKey } = rig.gateway.identity;
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, ' '));
  assert.ok(bomb.length < 1024 * 1024);
  const refused = await post('/admin/orgs', 'gzip', bomb, adminKey);
  assert.equal(refused.status, 413, refused.text);
  assert.equal((await rig.call('GET', '/admin/orgs')).status, 200);
});

test('without a credential a compressed body is refused before it is read', async () => {
  assert.equal((await post('/admin/orgs', 'gzip', gzipSync('{}'), 'nonsense')).status, 401);
});
