import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostRule } from './served-hosts.ts';

test('a server on loopback answers under loopback names and its configured URL only', () => {
  const serves = createHostRule({
    listensOn: '127.0.0.1',
    serverUrl: 'https://spillway.example.com',
  });
  for (const host of [
    'localhost',
    'localhost:8787',
    '127.0.0.1:8787',
    '[::1]:8787',
    'LOCALHOST:1',
    'spillway.example.com',
    'spillway.example.com:443',
  ])
    assert.equal(serves(host), true, host);
  for (const host of [
    undefined,
    '',
    'rebind.attacker.example:8787',
    '127.0.0.1.attacker.example',
    'localhost.attacker.example',
    'spillway.example.com.attacker.example',
    'user@localhost',
    'localhost/x',
    '10.0.0.1',
  ])
    assert.equal(serves(host), false, String(host));
});

test('a server on another address answers under any name', () => {
  const serves = createHostRule({ listensOn: '0.0.0.0', serverUrl: undefined });
  assert.equal(serves('gateway.internal:8787'), true);
  assert.equal(serves(undefined), false);
});
