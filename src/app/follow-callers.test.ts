import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { newOrganization, type Organization } from '../admission/organization.ts';
import { followCallers } from './follow-callers.ts';

function rig() {
  const clock = createTestClock();
  const changed: Organization[] = [];
  const revoked: string[] = [];
  const dropped: string[] = [];
  const state = { isUnavailable: false };
  const following = followCallers({
    keys: {
      async revokedSince() {
        if (state.isUnavailable) throw new Error('store unavailable');
        return revoked;
      },
    },
    organizations: {
      changedSince: async (since) => changed.filter(({ updatedAt }) => updatedAt >= since),
    },
    callers: {
      organizationChanged: ({ id, requestsPerMinute }) =>
        dropped.push(`${id} ${requestsPerMinute}`),
      keyRevoked: (hash) => dropped.push(hash),
    },
    refreshAll: async () => void dropped.push('everything'),
    clock,
  });
  return { clock, changed, revoked, dropped, state, following };
}

test('a change by another server is reported once, within five seconds', async () => {
  const { clock, changed, dropped, following } = rig();
  const fresh = newOrganization({ id: 'acme', requestsPerMinute: 6 }, clock.now());
  changed.push(fresh);
  await clock.advance(5000);
  assert.deepEqual(dropped, [], 'a new organisation is in no cache');
  const acme = { ...fresh, requestsPerMinute: 7, updatedAt: clock.now() };
  changed[0] = acme;
  await clock.advance(5000);
  await clock.advance(5000);
  assert.deepEqual(dropped, ['acme 7']);
  changed[0] = { ...acme, requestsPerMinute: 8, updatedAt: clock.now() };
  await clock.advance(5000);
  assert.deepEqual(dropped, ['acme 7', 'acme 8']);
  await following.close();
});

test('polling continues after the store was unavailable', async () => {
  const { clock, revoked, dropped, state, following } = rig();
  revoked.push('hash');
  state.isUnavailable = true;
  await clock.advance(5000);
  assert.deepEqual(dropped, []);
  state.isUnavailable = false;
  await clock.advance(2000);
  assert.deepEqual(dropped, ['hash']);
  await following.close();
});

test('the whole cache is dropped once a minute, and polling ends with close', async () => {
  const { clock, dropped, following } = rig();
  for (let poll = 0; poll < 32; poll += 1) await clock.advance(2000);
  assert.deepEqual(dropped, ['everything']);
  await following.close();
  await clock.advance(120_000);
  assert.deepEqual(dropped, ['everything']);
});
