import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestHeads } from './request-head.ts';

const REQUEST = { method: 'POST', path: '/v1/messages', headers: ['x-api-key', 'one'] } as const;

function textOf(heads: RequestHeads, request: Parameters<RequestHeads['bytesOf']>[0]): string {
  return heads.bytesOf(request).toString('latin1');
}

test('the head has the request line, the host and the headers, without the length', () => {
  assert.equal(
    textOf(new RequestHeads('example.com'), REQUEST),
    'POST /v1/messages HTTP/1.1\r\nhost: example.com\r\nconnection: keep-alive\r\nx-api-key: one\r\n',
  );
});

test('an equal request gets the same bytes, and every difference gets its own', () => {
  const heads = new RequestHeads('example.com');
  const first = heads.bytesOf(REQUEST);
  assert.equal(heads.bytesOf({ ...REQUEST, headers: [...REQUEST.headers] }), first);
  for (const other of [
    { ...REQUEST, method: 'GET' },
    { ...REQUEST, path: '/v1/other' },
    { ...REQUEST, headers: ['x-api-key', 'two'] },
    { ...REQUEST, headers: ['x-goog-api-key', 'one'] },
    { ...REQUEST, headers: [] },
    { ...REQUEST, headers: ['x-api-key', 'one', 'accept', '*/*'] },
  ]) {
    const expected = textOf(new RequestHeads('example.com'), other);
    assert.equal(textOf(heads, other), expected);
    assert.equal(textOf(heads, REQUEST), first.toString('latin1'));
  }
});

test('a list of headers that its owner changes afterwards counts as changed', () => {
  const heads = new RequestHeads('example.com');
  const headers = ['x-api-key', 'one'];
  heads.bytesOf({ ...REQUEST, headers });
  headers[1] = 'two';
  assert.match(textOf(heads, { ...REQUEST, headers }), /x-api-key: two/);
});

for (const [what, bad] of [
  ['a space in the path', { ...REQUEST, path: '/v1/a b' }],
  ['a line break in the path', { ...REQUEST, path: '/v1\r\nx: y' }],
  ['a path of another origin', { ...REQUEST, path: 'http://example.com/' }],
  ['a line break in a value', { ...REQUEST, headers: ['x-api-key', 'one\r\nx: y'] }],
  ['a colon in a name', { ...REQUEST, headers: ['x-api-key: y', 'one'] }],
  ['an empty name', { ...REQUEST, headers: ['', 'one'] }],
  ['a value beyond latin1', { ...REQUEST, headers: ['x-api-key', '\u4f59'] }],
] as const) {
  test(`${what} is refused, also after a request that was sent`, () => {
    const heads = new RequestHeads('example.com');
    heads.bytesOf(REQUEST);
    assert.throws(() => heads.bytesOf(bad), TypeError);
    assert.throws(() => heads.bytesOf(bad), TypeError);
  });
}
