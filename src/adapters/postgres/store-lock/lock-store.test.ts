// Which servers may share a store, and what happens to the lock when its session ends.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createTestDatabase,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { type LogEntry, silentLog } from '../../../kernel/log.ts';
import { type LockedStore, lockStore } from './lock-store.ts';

/** The jitter makes a lost session reconnect as late as possible, so that another server can lock the store first. */
const clock = { ...systemClock, random: () => 1 };

type Mode = 'exclusive' | 'shared';

describe('the store lock', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase('lock', { isMigrated: false });
  });
  after(() => database.drop());

  async function lock(mode: Mode, log = silentLog): Promise<LockedStore> {
    const locked = await tryLock(mode, log);
    assert.ok(locked.kind === 'locked');
    return locked;
  }

  function tryLock(mode: Mode, log = silentLog, patienceMs = 300) {
    return lockStore(database.url, { isShared: mode === 'shared', clock, log, patienceMs });
  }

  it('an exclusive lock excludes every other server until its release', async () => {
    const first = await lock('exclusive');
    assert.deepEqual(await tryLock('exclusive'), { kind: 'in_use', address: '127.0.0.1' });
    assert.equal((await tryLock('shared')).kind, 'in_use');
    await first.release();
    await first.release();
    await (await lock('exclusive')).release();
  });

  it('shared locks coexist and exclude an exclusive one', async () => {
    const [first, second] = [await lock('shared'), await lock('shared')];
    assert.equal((await tryLock('exclusive')).kind, 'in_use');
    await first.release();
    await second.release();
    await (await lock('exclusive')).release();
  });

  it('a refused lock is retried until the owner releases it', async () => {
    const first = await lock('exclusive');
    const retrying = tryLock('exclusive', silentLog, 60_000);
    await delay(300);
    await first.release();
    const second = await retrying;
    assert.ok(second.kind === 'locked');
    await second.release();
  });

  it('a lost session is replaced and locks the store again', async () => {
    const locked = await lock('exclusive');
    await endSessions(1);
    await reaches(locked, 'unavailable');
    await reaches(locked, 'locked');
    assert.equal((await tryLock('exclusive')).kind, 'in_use');
    await locked.release();
  });

  it('a lock that another server acquired during an outage is logged as critical and acquired again after its release', async () => {
    const entries: LogEntry[] = [];
    const log = { ...silentLog, write: (entry: LogEntry) => entries.push(entry) };
    const first = await lock('exclusive', log);
    await endSessions(1);
    const other = await lock('exclusive');
    await reaches(first, 'conflict');
    assert.ok(
      entries.some(({ level, message }) => level === 'critical' && /another/.test(message)),
    );
    await other.release();
    await reaches(first, 'locked');
    await first.release();
  });

  it('queue signals reach the other processes, also after a lost session', async () => {
    const [mine, theirs] = [await lock('shared'), await lock('shared')];
    const received: string[] = [];
    theirs.signals.listen('q', () => received.push('q'));
    const reconnected = new Promise<void>((resolve) => mine.signals.listen('mine', resolve));
    const receives = async (count: number) => {
      while (received.length < count) await delay(5);
    };
    mine.signals.notify('q');
    await receives(1);
    mine.signals.notify('other');
    mine.signals.notify('q');
    await receives(2);
    theirs.signals.notify('q');
    assert.equal(received.length, 3, 'a signal reaches its own process synchronously');
    await endSessions(2);
    await Promise.all([reaches(mine, 'unavailable'), reaches(theirs, 'unavailable')]);
    mine.signals.notify('q');
    await Promise.all([reaches(mine, 'locked'), reaches(theirs, 'locked')]);
    // Reconnecting notifies every listener; a signal sent during the outage reaches no other process.
    await receives(4);
    await reconnected;
    mine.signals.notify('q');
    await receives(5);
    assert.equal(received.length, 5);
    await Promise.all([mine.release(), theirs.release()]);
  });

  async function endSessions(count: number): Promise<void> {
    const rows = await runOn(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'spillway session' and datname = current_database()`,
    );
    assert.equal(rows.length, count);
  }
});

async function reaches(locked: LockedStore, state: string): Promise<void> {
  while (locked.state() !== state) await delay(5);
}
