import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { isFromDashboard } from './same-origin.ts';

function request(method: string, headers: Record<string, string>): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = method;
  Object.assign(message.headers, { host: '127.0.0.1:8787', ...headers });
  return message;
}

test('a read is admitted from the dashboard and from the address bar', () => {
  assert.equal(isFromDashboard(request('GET', { 'sec-fetch-site': 'same-origin' })), true);
  assert.equal(isFromDashboard(request('GET', { 'sec-fetch-site': 'none' })), true);
  assert.equal(isFromDashboard(request('GET', {})), true);
});

test('a read of another page is refused, even from another port of the same host', () => {
  assert.equal(isFromDashboard(request('GET', { 'sec-fetch-site': 'same-site' })), false);
  assert.equal(isFromDashboard(request('GET', { 'sec-fetch-site': 'cross-site' })), false);
});

test('a write needs the header and the own origin', () => {
  const csrf = { 'x-spillway-csrf': '1' };
  const own = { origin: 'http://127.0.0.1:8787' };
  for (const [headers, expected] of [
    [{ ...csrf, 'sec-fetch-site': 'same-origin' }, true],
    [{ ...csrf, ...own }, true],
    [{ ...csrf, origin: 'https://127.0.0.1:8787' }, true],
    [{ ...own, 'sec-fetch-site': 'same-origin' }, false],
    [csrf, false],
    [{ ...csrf, 'sec-fetch-site': 'none' }, false],
    [{ ...csrf, ...own, 'sec-fetch-site': 'same-site' }, false],
    [{ ...csrf, origin: 'http://127.0.0.1:3000' }, false],
    [{ ...csrf, origin: 'null' }, false],
    [{ ...csrf, origin: 'http://attacker.example', 'sec-fetch-site': 'same-origin' }, false],
  ] as const)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal(isFromDashboard(request(method, headers)), expected, JSON.stringify(headers));
});
