import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { cacheKnownOrganizations } from './known-organizations.ts';

test('an existing organisation is read once in five seconds', async () => {
  const clock = createTestClock();
  const calls: string[] = [];
  const exists = cacheKnownOrganizations(async (id) => calls.push(id) > 0, clock);
  assert.equal(await exists('one'), true);
  assert.equal(await exists('one'), true);
  assert.equal(await exists('two'), true);
  assert.deepEqual(calls, ['one', 'two']);
  await clock.advance(5000);
  assert.equal(await exists('one'), true);
  assert.deepEqual(calls, ['one', 'two', 'one']);
});

test('a missing organisation is found as soon as it is created', async () => {
  const made = new Set<string>();
  const exists = cacheKnownOrganizations(async (id) => made.has(id), createTestClock());
  assert.equal(await exists('late'), false);
  made.add('late');
  assert.equal(await exists('late'), true);
});
