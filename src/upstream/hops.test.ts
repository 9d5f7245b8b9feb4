import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { addHop, HOPS_HEADER, hopOf } from './hops.ts';

const A = hopOf('server-a');
const B = hopOf('server-b');

test('each server adds itself once, and a request that returns to one of them is in a loop', () => {
  const headers: IncomingHttpHeaders = {};
  assert.ok(addHop(headers, A));
  assert.ok(addHop(headers, B));
  assert.equal(headers[HOPS_HEADER], `${A},${B}`);
  assert.equal(addHop(headers, A), false);
  assert.equal(addHop(headers, B), false);
});

test('a chain of more servers than any installation has is a loop', () => {
  const headers: IncomingHttpHeaders = {};
  for (let server = 1; server <= 8; server += 1) assert.ok(addHop(headers, hopOf(`s-${server}`)));
  assert.equal(addHop(headers, A), false);
});

test('a list that no server has written is dropped and not forwarded', () => {
  for (const written of [
    '',
    'x',
    `${B},<script>`,
    `${B} ${B}`,
    'a'.repeat(10_000),
    B.toUpperCase(),
  ]) {
    const headers: IncomingHttpHeaders = { [HOPS_HEADER]: written };
    assert.ok(addHop(headers, A), written);
    assert.equal(headers[HOPS_HEADER], A);
  }
});

test('the name of a server does not reveal its id', () => {
  assert.match(hopOf('gateway-1.internal.example'), /^[0-9a-f]{16}$/);
});
