import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { maskAddress, maskSecret, maskSecretAddress } from './mask.ts';

test('a masked secret shows at most its last four characters, and a short secret none', () => {
  assert.equal(maskSecret('sk-ant-0123456789abcdef'), '****cdef');
  assert.equal(maskSecret('hunter2'), '****');
});

test('a masked URL hides only its credentials', () => {
  assert.equal(
    maskAddress('postgres://app:hunter2@db:5432/spillway?sslmode=require&password=hunter2'),
    'postgres://app:****@db:5432/spillway?sslmode=require&password=****',
  );
  assert.equal(maskAddress('rediss://:hunter2@cache/0'), 'rediss://:****@cache/0');
  assert.equal(maskAddress('https://token@collector/v1'), 'https://****@collector/v1');
  assert.equal(maskAddress('redis://cache:6379'), 'redis://cache:6379');
  assert.equal(
    maskAddress('redis+sentinel://app:hunter2@a:1,b:2/main?sentinelPassword=hunter2'),
    'redis+sentinel://app:****@a:1,b:2/main?sentinelPassword=****',
  );
});

test('a masked secret URL shows only its host', () => {
  assert.equal(
    maskSecretAddress('https://hooks.slack.com/services/T0/B0/x'),
    'https://hooks.slack.com/****',
  );
  assert.equal(maskSecretAddress('not an address'), '****');
});

test('a password is hidden at any position of a malformed URL', () => {
  const careless = fc.constantFrom(
    (word: string) => `redis://user:${word}@host`,
    (word: string) => `redis://user:a/${word}@host`,
    (word: string) => `redis://user:a?${word}@host`,
    (word: string) => `redis://user:a#${word}@host`,
    (word: string) => `redis://user?${word}@host`,
    (word: string) => `user:${word}@host`,
    (word: string) => `//user:${word}@host`,
    (word: string) => `postgres:///db?password=${word}`,
    (word: string) => `postgres://h/db?sslkey=${word}`,
  );
  const password = fc.stringMatching(/^Q[A-Za-z0-9!$%^&*]{6,12}$/);
  fc.assert(
    fc.property(careless, password, (address, word) => !maskAddress(address(word)).includes(word)),
  );
});
