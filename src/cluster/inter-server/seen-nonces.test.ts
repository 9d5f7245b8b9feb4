import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { SeenNonces } from './seen-nonces.ts';

test('a nonce is accepted once while its signature is valid', async () => {
  const clock = createTestClock();
  const nonces = new SeenNonces(clock);
  await clock.advance(119_000);
  assert.equal(nonces.add('n1'), true);
  assert.equal(nonces.add('n1'), false);
  await clock.advance(119_000);
  assert.equal(nonces.add('n1'), false);
  assert.equal(nonces.add('n2'), true);
});

test('nonces of expired signatures are forgotten', async () => {
  const clock = createTestClock();
  const nonces = new SeenNonces(clock);
  for (let count = 0; count < 100; count += 1) nonces.add(`nonce-${count}`);
  await clock.advance(500_000);
  nonces.add('later');
  assert.equal(nonces.size, 1);
});

test('a full memory refuses further calls instead of forgetting earlier ones', () => {
  const nonces = new SeenNonces(createTestClock());
  for (let count = 0; count < 500_000; count += 1) nonces.add(String(count));
  assert.equal(nonces.add('one more'), false);
  assert.equal(nonces.add('0'), false);
});
