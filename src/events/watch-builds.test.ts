import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { BuildKey } from './build-event.ts';
import { createBuildWatch } from './watch-builds.ts';

const BUILD = { organizationId: 'acme', buildId: 'b1' };
const OTHER = { organizationId: 'other', buildId: 'b1' };

function openWatch(pollMs?: number) {
  const clock = createTestClock();
  const queries: (readonly BuildKey[])[] = [];
  const state = { lastId: 0, isAway: false };
  const store = {
    latest: async (builds: readonly BuildKey[]) => {
      queries.push(builds);
      if (state.isAway) throw new Error('unavailable');
      return builds.map((build) => ({ ...build, id: state.lastId }));
    },
  };
  return { clock, queries, state, watch: createBuildWatch({ store, clock, pollMs }) };
}

test('an event of this process wakes the readers of its build only', () => {
  const { watch } = openWatch();
  const woken: string[] = [];
  const end = watch.watch(BUILD, () => woken.push('mine'));
  watch.watch(OTHER, () => woken.push('other'));
  watch.changed(BUILD);
  end();
  watch.changed(BUILD);
  assert.deepEqual(woken, ['mine']);
});

test('events of other processes are found by one query for all builds, and only while there are readers', async () => {
  const { watch, clock, queries, state } = openWatch(500);
  assert.equal(clock.pendingTimers(), 0);
  let woken = 0;
  const ends = [BUILD, BUILD, OTHER].map((build) => watch.watch(build, () => (woken += 1)));
  await clock.advance(500);
  assert.deepEqual(queries, [[BUILD, OTHER]]);
  assert.equal(woken, 3);
  await clock.advance(500);
  assert.equal(woken, 3);
  state.lastId = 5;
  await clock.advance(500);
  assert.equal(woken, 6);
  for (const end of ends) end();
  await clock.advance(500);
  const { length } = queries;
  await clock.advance(5000);
  assert.ok(queries.length <= length + 1);
  assert.equal(clock.pendingTimers(), 0);
});

test('polling continues while the store is unavailable', async () => {
  const { watch, clock, queries, state } = openWatch(500);
  state.isAway = true;
  let woken = 0;
  watch.watch(BUILD, () => (woken += 1));
  await clock.advance(1000);
  assert.equal(woken, 0);
  state.isAway = false;
  await clock.advance(500);
  assert.equal(woken, 1);
  assert.equal(queries.length, 3);
});

test('a closed watch does not poll', async () => {
  const { watch, clock, queries } = openWatch(500);
  watch.watch(BUILD, () => {});
  await watch.close();
  await clock.advance(5000);
  assert.deepEqual(queries, []);
});
