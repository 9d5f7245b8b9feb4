import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../../test/contract/server-registry.ts';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { createMemoryServerRegistry } from '../adapters/memory/server-registry.ts';
import { type LogEntry, silentLog } from '../kernel/log.ts';
import { Membership, ServerIdInUse } from './membership.ts';
import { liveServers, type ServerMode } from './server-record.ts';
import { RECORD_LIFETIME_MS, type ServerRegistry } from './server-registry.ts';

function openCluster() {
  const clock = createTestClock();
  const registry = createMemoryServerRegistry({ clock, lifetimeMs: RECORD_LIFETIME_MS });
  return { clock, registry };
}

function openMember(clock: TestClock, registry: ServerRegistry, id: string, incarnation = id) {
  const modes: ServerMode[] = [];
  const displacements: boolean[] = [];
  const entries: LogEntry[] = [];
  const state = { currentLoad: 0, isDraining: false };
  const membership = new Membership({
    registry,
    clock,
    log: { ...silentLog, write: (entry) => void entries.push(entry) },
    self: { id, incarnation },
    describe: async () => ({ ...recordOf(id), ...state }),
    onMode: (mode) => void modes.push(mode),
    onDisplaced: (isDisplaced) => void displacements.push(isDisplaced),
  });
  return { membership, modes, displacements, entries, state };
}

test('a member is announced with its current record every two seconds, and is gone when it leaves', async () => {
  const { clock, registry } = openCluster();
  const { membership, state } = openMember(clock, registry, 'a');
  await membership.join();
  state.currentLoad = 5;
  await clock.advance(2000);
  const [server] = (await registry.list()).servers;
  assert.equal(server?.currentLoad, 5);
  await clock.advance(10 * 60_000);
  assert.equal(liveServers(await registry.list()).length, 1);
  await membership.leave();
  await membership.leave();
  await clock.advance(10_000);
  assert.deepEqual((await registry.list()).servers, []);
  assert.equal(clock.pendingTimers(), 0);
});

test('a server with the id of a dead one waits until three beats are missed, then takes over', async () => {
  const { clock, registry } = openCluster();
  await registry.announce(recordOf('a', { incarnation: 'dead' }));
  await clock.advance(1000);
  const { membership } = openMember(clock, registry, 'a', 'next');
  let hasJoined = false;
  const joining = membership.join().then(() => {
    hasJoined = true;
  });
  await clock.advance(0);
  await clock.advance(5000);
  assert.equal(hasJoined, false);
  await clock.advance(100);
  await joining;
  const [server] = (await registry.list()).servers;
  assert.equal(server?.incarnation, 'next');
  await membership.leave();
});

test('a server with the id of a running one refuses to start, and the running one continues unaffected', async () => {
  const { clock, registry } = openCluster();
  const first = openMember(clock, registry, 'a', 'first');
  await first.membership.join();
  const second = openMember(clock, registry, 'a', 'second');
  const refused = assert.rejects(second.membership.join(), (error: unknown) => {
    assert.ok(error instanceof ServerIdInUse);
    assert.match(error.message, /id a belongs to another running server.*SERVER_ID/);
    return true;
  });
  await clock.advance(10_000);
  await refused;
  assert.deepEqual(first.displacements, []);
  await first.membership.leave();
});

test('a frozen server that lost its id to another process is displaced until that process leaves', async () => {
  const { clock, registry } = openCluster();
  const { membership, displacements, entries } = openMember(clock, registry, 'a', 'frozen');
  const next = recordOf('a', { incarnation: 'next' });
  await registry.announce(next);
  await membership.beat();
  assert.deepEqual(displacements, []);
  await clock.advance(2000);
  await registry.announce(next);
  await membership.beat();
  await membership.beat();
  assert.deepEqual(displacements, [true]);
  assert.deepEqual(
    entries.map(({ level }) => level),
    ['critical'],
  );
  await registry.withdraw(next);
  await membership.beat();
  assert.deepEqual(displacements, [true, false]);
});

test('a mode that an operator sets is applied once, and the record shows it', async () => {
  const { clock, registry } = openCluster();
  const { membership, modes } = openMember(clock, registry, 'a');
  await membership.join();
  await registry.setMode('a', 'maintenance');
  await clock.advance(0);
  assert.deepEqual(modes, ['maintenance']);
  await clock.advance(10_000);
  assert.deepEqual(modes, ['maintenance']);
  await registry.setMode('a', 'active');
  await clock.advance(0);
  assert.deepEqual(modes, ['maintenance', 'active']);
  assert.equal((await registry.list()).servers[0]?.isMaintenanceMode, false);
  await membership.leave();
});

test('a server starts while the registry is unavailable and registers when it is available', async () => {
  const { clock, registry } = openCluster();
  let isUp = false;
  const unreliable: ServerRegistry = {
    ...registry,
    announce: (record) => (isUp ? registry.announce(record) : Promise.reject(new Error('down'))),
  };
  const { membership } = openMember(clock, unreliable, 'a');
  await membership.join();
  await clock.advance(10_000);
  isUp = true;
  await clock.advance(2000);
  assert.equal((await registry.list()).servers.length, 1);
  await membership.leave();
});
