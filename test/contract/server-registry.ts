// The contract of the port ServerRegistry; the test of each adapter calls it with its own. Servers share one registry; `pass`
// moves its clock.

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { NO_OPINION } from '../../src/cluster/opinions.ts';
import { NO_ROUTING } from '../../src/cluster/routing-statistics.ts';
import type { RegisteredServer, ServerRecord } from '../../src/cluster/server-record.ts';
import type { ServerRegistry } from '../../src/cluster/server-registry.ts';

export function recordOf(id: string, own: Partial<ServerRecord> = {}): ServerRecord {
  return {
    id,
    incarnation: `${id}-1`,
    version: '0.1.0',
    url: `http://${id}.test`,
    region: 'us-east',
    isGateway: true,
    isDispatcher: false,
    workers: [],
    maxConcurrentBuilds: 100,
    currentLoad: 0,
    health: 'healthy',
    priority: 100,
    isMaintenanceMode: false,
    isDraining: false,
    capabilities: {
      providers: ['anthropic'],
      models: ['claude-*'],
      scopes: [{ provider: 'anthropic', region: 'us-east' }],
    },
    opinion: NO_OPINION,
    routing: NO_ROUTING,
    ...own,
  };
}

export type RegistryRig = {
  readonly registry: ServerRegistry;
  /** Lets this many milliseconds pass for the registry. */
  pass(ms: number): Promise<void>;
};

export function serverRegistryContract(adapter: string, open: () => Promise<RegistryRig>): void {
  describe(`server registry on ${adapter}`, () => {
    let rig: RegistryRig;
    let registry: ServerRegistry;
    beforeEach(async () => {
      rig = await open();
      registry = rig.registry;
    });
    const ids = async () => (await registry.list()).servers.map(({ id }) => id);

    it('lists announced records by id, stamped with its own clock', async () => {
      await registry.announce(recordOf('b'));
      await rig.pass(20);
      await registry.announce(recordOf('a', { currentLoad: 7 }));
      const { now, servers } = await registry.list();
      const [a, b] = servers;
      assert.deepEqual(servers.map(withoutHeartbeat), [
        recordOf('a', { currentLoad: 7 }),
        recordOf('b'),
      ]);
      assert.ok(a && b && b.lastHeartbeat < a.lastHeartbeat && a.lastHeartbeat <= now);
    });

    it('lists nothing without servers, and none that has withdrawn', async () => {
      assert.deepEqual(await ids(), []);
      await registry.announce(recordOf('a'));
      await registry.withdraw({ id: 'a', incarnation: 'another' });
      assert.deepEqual(await ids(), ['a']);
      await registry.withdraw(recordOf('a'));
      assert.deepEqual(await ids(), []);
    });

    it('keeps the id for the incarnation that sends heartbeats, and gives it to another after three missed beats', async () => {
      const second = recordOf('a', { incarnation: 'a-2', currentLoad: 3 });
      await registry.announce(recordOf('a'));
      const answer = await registry.announce(second);
      const [held] = (await registry.list()).servers;
      assert.equal(answer.kind, 'occupied');
      assert.equal(answer.kind === 'occupied' && answer.lastHeartbeat, held?.lastHeartbeat);
      assert.equal(held?.currentLoad, 0);
      await rig.pass(6001);
      assert.deepEqual(await registry.announce(second), { kind: 'accepted', mode: 'active' });
      assert.equal((await registry.announce(recordOf('a'))).kind, 'occupied');
    });

    it('forgets a server a minute after its last beat', async () => {
      await registry.announce(recordOf('a'));
      await rig.pass(60_001);
      await registry.announce(recordOf('b'));
      assert.deepEqual(await ids(), ['b']);
    });

    it('returns a requested mode with the announcement, and shows it in the list immediately', async () => {
      await registry.announce(recordOf('a'));
      assert.equal(await registry.setMode('a', 'maintenance'), true);
      const [server] = (await registry.list()).servers;
      assert.deepEqual([server?.isMaintenanceMode, server?.isDraining], [true, false]);
      assert.deepEqual(await registry.announce(recordOf('a')), {
        kind: 'accepted',
        mode: 'maintenance',
      });
      await registry.setMode('a', 'active');
      const [resumed] = (await registry.list()).servers;
      assert.equal(resumed?.isMaintenanceMode, false);
      assert.deepEqual(await registry.announce(recordOf('a')), {
        kind: 'accepted',
        mode: 'active',
      });
    });

    it('refuses a mode for a server that is not registered', async () => {
      assert.equal(await registry.setMode('nobody', 'draining'), false);
      await registry.announce(recordOf('nobody'));
      const [server] = (await registry.list()).servers;
      assert.equal(server?.isDraining, false);
    });

    it('ends draining with the incarnation, and keeps maintenance', async () => {
      for (const [mode, expected] of [
        ['draining', 'active'],
        ['maintenance', 'maintenance'],
      ] as const) {
        const [first, next] = [`${mode}-1`, `${mode}-2`].map((incarnation) =>
          recordOf(mode, { incarnation }),
        );
        assert.ok(first && next);
        await registry.announce(first);
        await registry.setMode(mode, mode);
        assert.deepEqual(await registry.announce(first), { kind: 'accepted', mode });
        await registry.withdraw(first);
        assert.deepEqual(await registry.announce(next), { kind: 'accepted', mode: expected });
      }
    });

    it('notifies its followers of a changed mode', async () => {
      const noticed = Promise.withResolvers<void>();
      await registry.announce(recordOf('a'));
      let hasChanged = false;
      await registry.follow(() => {
        if (hasChanged) noticed.resolve();
      });
      hasChanged = true;
      await registry.setMode('a', 'draining');
      await noticed.promise;
    });

    it('grants a lease to one holder until it expires', async () => {
      assert.equal(await registry.acquireLease('scaling', 'a', 1000), true);
      assert.equal(await registry.acquireLease('scaling', 'b', 1000), false);
      assert.equal(await registry.acquireLease('other', 'b', 1000), true);
      assert.equal(await registry.acquireLease('scaling', 'a', 1000), true);
      await rig.pass(1001);
      assert.equal(await registry.acquireLease('scaling', 'b', 1000), true);
    });
  });
}

function withoutHeartbeat(server: RegisteredServer): ServerRecord {
  const { lastHeartbeat: _, ...record } = server;
  return record;
}
