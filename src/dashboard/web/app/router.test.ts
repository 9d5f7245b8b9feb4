import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf, parseHash } from './router.ts';

test('a hash is the page and its parameters', () => {
  assert.deepEqual(parseHash('#/jobs?status=failed&range=24h'), {
    page: 'jobs',
    params: { status: 'failed', range: '24h' },
  });
});

test('an empty hash is the overview', () => {
  for (const hash of ['', '#', '#/']) assert.equal(parseHash(hash).page, 'overview');
});

test('a route survives its hash, and empty parameters are left out', () => {
  const route = { page: 'logs', params: { text: 'a&b=c #?', level: '' } };
  assert.deepEqual(parseHash(hashOf(route)), { page: 'logs', params: { text: 'a&b=c #?' } });
});
