import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../../test/contract/server-registry.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createMemoryServerRegistry } from '../adapters/memory/server-registry.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { clusterStatus } from './cluster-status.ts';
import { createRoutingStatistics } from './routing-statistics.ts';
import { createServerDirectory } from './server-directory.ts';
import { RECORD_LIFETIME_MS } from './server-registry.ts';

function counted(counts: readonly ['local' | 'proxied' | 'failed', string][]) {
  const statistics = createRoutingStatistics(createMetrics());
  for (const [outcome, reason] of counts) statistics.count(outcome, reason);
  return statistics.counts();
}

test('the routing of all servers is summed by outcome and reason', () => {
  const one = counted([
    ['local', 'served'],
    ['local', 'served'],
    ['proxied', 'local_ai_limit'],
  ]);
  const other = counted([
    ['proxied', 'local_ai_limit'],
    ['proxied', 'draining'],
    ['failed', 'global_ai_limit'],
  ]);
  const servers = [
    { ...recordOf('a', { routing: one }), lastHeartbeat: 10_000 },
    { ...recordOf('b', { routing: other }), lastHeartbeat: 1000 },
  ];
  const snapshot = { now: 10_000, servers, isStale: false };
  const status = clusterStatus({ serverId: 'a', snapshot, capacity: [], targets: [] });
  assert.deepEqual(status.routing, {
    local: 2,
    proxied: 3,
    failed: 1,
    byReason: {
      local: { served: 2 },
      proxied: { local_ai_limit: 2, draining: 1 },
      failed: { global_ai_limit: 1 },
    },
  });
  assert.deepEqual(
    status.servers.map(({ id, isSuspected, sinceHeartbeatMs }) => [
      id,
      isSuspected,
      sinceHeartbeatMs,
    ]),
    [
      ['a', false, 0],
      ['b', true, 9000],
    ],
  );
});

test('the directory keeps the last reading while the registry is unavailable, without new suspicions', async () => {
  const clock = createTestClock();
  const registry = createMemoryServerRegistry({ clock, lifetimeMs: RECORD_LIFETIME_MS });
  await registry.announce(recordOf('a'));
  let isUp = true;
  const directory = createServerDirectory(
    { list: () => (isUp ? registry.list() : Promise.reject(new Error('down'))) },
    clock,
  );
  const before = await directory.snapshot();
  isUp = false;
  await clock.advance(30_000);
  const snapshot = await directory.snapshot();
  assert.deepEqual([before.isStale, snapshot.isStale, snapshot.now], [false, true, before.now]);
  assert.deepEqual(snapshot.servers, before.servers);
});
