import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  claimsServer,
  contentDigest,
  type InterServerCall,
  signCall,
  targetText,
  verifyCall,
} from './call-signature.ts';

const SECRET = 'a'.repeat(32);
const OTHER_SECRET = 'b'.repeat(32);
const SELF = { id: 'srv-b', incarnation: 'inc-1' };
const TERMS = { created: 1_800_000_000, nonce: 'n'.repeat(22) };
const BODY = Buffer.from('{"model":"m"}');

const CALL: InterServerCall = {
  method: 'POST',
  path: '/v1/messages',
  query: '?beta=true',
  digest: contentDigest(BODY),
  source: 'srv-a',
  target: SELF,
  requestId: 'req_1',
  principal: 'eyJ9',
};

const ARRIVED = { ...CALL, target: targetText(SELF) };
const HEADERS = signCall(CALL, TERMS, SECRET);

function verify(
  call: Partial<typeof ARRIVED> = {},
  options: { readonly secrets?: readonly string[]; readonly nowSeconds?: number } = {},
) {
  const { secrets = [SECRET], nowSeconds = TERMS.created } = options;
  return verifyCall({ ...ARRIVED, ...call }, HEADERS, { secrets, self: SELF, nowSeconds });
}

test('a signed call is accepted by its target', () => {
  assert.deepEqual(verify(), TERMS);
});

test('a change of any signed component is refused', () => {
  const changes: readonly Partial<typeof ARRIVED>[] = [
    { method: 'GET' },
    { path: '/v1/chat/completions' },
    { query: '' },
    { digest: contentDigest(Buffer.from('{"model":"n"}')) },
    { source: 'srv-c' },
    { target: targetText({ ...SELF, id: 'srv-c' }) },
    { target: targetText({ ...SELF, incarnation: 'inc-2' }) },
    { requestId: 'req_2' },
    { principal: 'eyJ8' },
  ];
  for (const change of changes)
    assert.equal(verify(change), 'bad_signature', JSON.stringify(change));
});

test('a call for another server, or for an earlier process of this one, is refused', () => {
  for (const target of [
    { id: 'srv-c', incarnation: 'inc-1' },
    { id: 'srv-b', incarnation: 'inc-0' },
  ]) {
    const headers = signCall({ ...CALL, target }, TERMS, SECRET);
    const arrived = { ...ARRIVED, target: targetText(target) };
    const verifier = { secrets: [SECRET], self: SELF, nowSeconds: TERMS.created };
    assert.equal(verifyCall(arrived, headers, verifier), 'wrong_target');
  }
});

test('a call is accepted within a minute of its time, earlier or later', () => {
  for (const offset of [-60, 60])
    assert.deepEqual(verify({}, { nowSeconds: TERMS.created + offset }), TERMS);
  for (const offset of [-61, 61])
    assert.equal(verify({}, { nowSeconds: TERMS.created + offset }), 'wrong_time');
});

test('during a rotation both secrets verify', () => {
  assert.deepEqual(verify({}, { secrets: [OTHER_SECRET, SECRET] }), TERMS);
  assert.equal(verify({}, { secrets: [OTHER_SECRET] }), 'bad_signature');
});

test('a signature over fewer components, or in another form, is refused', () => {
  const verifier = { secrets: [SECRET], self: SELF, nowSeconds: TERMS.created };
  const inputs = [
    HEADERS.input.replace(' "x-spillway-principal"', ''),
    HEADERS.input.replace('hmac-sha256', 'rsa-v1_5-sha256'),
    HEADERS.input.replace(/nonce="[^"]*"/, 'nonce=""'),
    'spillway=()',
    '',
  ];
  for (const input of inputs)
    assert.equal(verifyCall(ARRIVED, { ...HEADERS, input }, verifier), 'malformed');
  for (const signature of ['', 'spillway=:AAAA:', HEADERS.signature.replace('spillway', 'other')])
    assert.equal(verifyCall(ARRIVED, { ...HEADERS, signature }, verifier), 'malformed');
});

test('only the label of this product claims a server', () => {
  assert.equal(claimsServer(HEADERS.input), true);
  for (const other of [undefined, ['spillway=()'], 'sig1=("@method")'])
    assert.equal(claimsServer(other), false);
});
