import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { newOrganization, type Organization } from '../admission/organization.ts';
import { followCallers } from './follow-callers.ts';

function rig() {
  const clock = createTestClock();
  const changed: Organization[] = [];
  const revoked: string[] = [];
  const heard: string[] = [];
  const state = { isAway: false };
  const stop = followCallers({
    keys: {
      async revokedSince() {
        if (state.isAway) throw new Error('the store is away');
        return revoked;
      },
    },
    organizations: {
      changedSince: async (since) => changed.filter(({ updatedAt }) => updatedAt >= since),
    },
    callers: {
      organizationChanged: ({ id, requestsPerMinute }) => heard.push(`${id} ${requestsPerMinute}`),
      keyRevoked: (hash) => heard.push(hash),
    },
    askAnew: async () => void heard.push('everything'),
    clock,
  });
  return { clock, changed, revoked, heard, state, stop };
}

test('what another server changes of an organisation is heard of within five seconds, once', async () => {
  const { clock, changed, heard, stop } = rig();
  const fresh = newOrganization({ id: 'acme', requestsPerMinute: 6 }, clock.now());
  changed.push(fresh);
  await clock.advance(5000);
  assert.deepEqual(heard, [], 'nobody remembers a new one');
  const acme = { ...fresh, requestsPerMinute: 7, updatedAt: clock.now() };
  changed[0] = acme;
  await clock.advance(5000);
  await clock.advance(5000);
  assert.deepEqual(heard, ['acme 7']);
  changed[0] = { ...acme, requestsPerMinute: 8, updatedAt: clock.now() };
  await clock.advance(5000);
  assert.deepEqual(heard, ['acme 7', 'acme 8']);
  stop();
});

test('a store that is away is asked again', async () => {
  const { clock, revoked, heard, state, stop } = rig();
  revoked.push('hash');
  state.isAway = true;
  await clock.advance(5000);
  assert.deepEqual(heard, []);
  state.isAway = false;
  await clock.advance(2000);
  assert.deepEqual(heard, ['hash']);
  stop();
});

test('everything is asked anew once a minute, and nothing after the end', async () => {
  const { clock, heard, stop } = rig();
  for (let look = 0; look < 32; look += 1) await clock.advance(2000);
  assert.deepEqual(heard, ['everything']);
  stop();
  await clock.advance(120_000);
  assert.deepEqual(heard, ['everything']);
});
