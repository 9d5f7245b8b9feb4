// Who may have a store together, and what becomes of it when the connection that holds it ends.

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
import { type HeldStore, holdStore } from './claim-store.ts';

/** Chance has it that a lost session is made anew as late as can be, so that others may come before it. */
const clock = { ...systemClock, random: () => 1 };

describe('holding a store', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase('hold', { isMigrated: false });
  });
  after(() => database.drop());

  async function hold(kind: 'alone' | 'shared', log = silentLog): Promise<HeldStore> {
    const held = await ask(kind, log);
    assert.ok(held.kind === 'held');
    return held;
  }

  function ask(kind: 'alone' | 'shared', log = silentLog, patienceMs = 300) {
    return holdStore(database.url, { isShared: kind === 'shared', clock, log, patienceMs });
  }

  it('is for one process alone, until that lets go of it', async () => {
    const first = await hold('alone');
    assert.deepEqual(await ask('alone'), { kind: 'in_use', address: '127.0.0.1' });
    assert.equal((await ask('shared')).kind, 'in_use');
    await first.release();
    await first.release();
    await (await hold('alone')).release();
  });

  it('is for as many as share, and then for none alone', async () => {
    const [first, second] = [await hold('shared'), await hold('shared')];
    assert.equal((await ask('alone')).kind, 'in_use');
    await first.release();
    await second.release();
    await (await hold('alone')).release();
  });

  it('waits a moment for a process that is just ending', async () => {
    const first = await hold('alone');
    const asking = ask('alone', silentLog, 60_000);
    await delay(300);
    await first.release();
    const second = await asking;
    assert.ok(second.kind === 'held');
    await second.release();
  });

  it('is taken again when the session is lost', async () => {
    const held = await hold('alone');
    await endSessions(1);
    await reaches(held, 'away');
    await reaches(held, 'held');
    assert.equal((await ask('alone')).kind, 'in_use');
    await held.release();
  });

  it('tells when somebody else took it meanwhile, and takes it when they let go', async () => {
    const told: LogEntry[] = [];
    const log = { ...silentLog, write: (entry: LogEntry) => told.push(entry) };
    const first = await hold('alone', log);
    await endSessions(1);
    const usurper = await hold('alone');
    await reaches(first, 'taken');
    assert.ok(told.some(({ level, message }) => level === 'critical' && /another/.test(message)));
    await usurper.release();
    await reaches(first, 'held');
    await first.release();
  });

  it('tells other processes what was put on a queue, and goes on telling after a lost session', async () => {
    const [mine, theirs] = [await hold('shared'), await hold('shared')];
    const heard: string[] = [];
    theirs.signals.listen('q', () => heard.push('q'));
    const isTelling = new Promise<void>((resolve) => mine.signals.listen('mine', resolve));
    const hears = async (count: number) => {
      while (heard.length < count) await delay(5);
    };
    mine.signals.notify('q');
    await hears(1);
    mine.signals.notify('other');
    mine.signals.notify('q');
    await hears(2);
    theirs.signals.notify('q');
    assert.equal(heard.length, 3, 'the own process hears at once');
    await endSessions(2);
    await Promise.all([reaches(mine, 'away'), reaches(theirs, 'away')]);
    mine.signals.notify('q');
    await Promise.all([reaches(mine, 'held'), reaches(theirs, 'held')]);
    // Being connected again is itself a reason to look, and what is told before that is told to nobody.
    await hears(4);
    await isTelling;
    mine.signals.notify('q');
    await hears(5);
    assert.equal(heard.length, 5);
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

async function reaches(held: HeldStore, state: string): Promise<void> {
  while (held.state() !== state) await delay(5);
}
