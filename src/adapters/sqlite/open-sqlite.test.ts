import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { pendingMigrations } from '../sql/migrate.ts';
import { loadStoreIdentity } from '../sql/store-identity.ts';
import { openSqlite } from './open-sqlite.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'spillway-sqlite-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the embedded store', () => {
  it('migrates a new file and leaves a migrated one unchanged', async () => {
    const file = path.join(folder, 'migrated.db');
    const first = await openSqlite(file);
    const identity = await loadStoreIdentity(first.db, 1);
    await first.close();
    const second = await openSqlite(file);
    assert.deepEqual(await pendingMigrations(second.db, second.dialect), []);
    assert.deepEqual(await loadStoreIdentity(second.db, 2), identity);
    assert.ok(identity.hashKey.length >= 43);
    await second.close();
  });

  it('its files are readable by their owner alone', async () => {
    const file = path.join(folder, 'private.db');
    const store = await openSqlite(file);
    for (const suffix of ['', '-wal', '-shm'])
      assert.equal(statSync(file + suffix).mode & 0o077, 0, `${suffix} can be read by others`);
    await store.close();
  });

  it('raw statements wait for a transaction in progress', async () => {
    const store = await openSqlite(path.join(folder, 'mutex.db'));
    const order: string[] = [];
    const transaction = store.db.transaction().execute(async (trx) => {
      await trx.insertInto('meta').values({ name: 'a', value: '1', created_at: 1 }).execute();
      await new Promise((resolve) => setImmediate(resolve));
      order.push('transaction');
      await trx.insertInto('meta').values({ name: 'b', value: '2', created_at: 1 }).execute();
    });
    await new Promise((resolve) => setImmediate(resolve));
    const raw = store.withRaw((database) => {
      order.push('raw');
      assert.equal(database.isTransaction, false);
      return database.prepare('select count(*) as n from meta').get();
    });
    await transaction;
    assert.deepEqual({ ...(await raw) }, { n: 2 });
    assert.deepEqual(order, ['transaction', 'raw']);
    await store.close();
  });

  it('raw statements run synchronously if the connection is free', async () => {
    const store = await openSqlite(path.join(folder, 'at-once.db'));
    let hasRun = false;
    const done = store.withRaw(() => {
      hasRun = true;
    });
    assert.equal(hasRun, true);
    await done;
    await store.close();
  });

  it('a failed transaction leaves the connection usable', async () => {
    const store = await openSqlite(path.join(folder, 'failed.db'));
    const failing = store.db.transaction().execute(async (trx) => {
      await trx.insertInto('meta').values({ name: 'x', value: '1', created_at: 1 }).execute();
      await trx.insertInto('meta').values({ name: 'x', value: '2', created_at: 1 }).execute();
    });
    await assert.rejects(failing, /UNIQUE/);
    await assert.rejects(
      store.withRaw(() => assert.fail('mine')),
      /mine/,
    );
    const rows = await store.db.selectFrom('meta').selectAll().execute();
    assert.deepEqual(rows, []);
    await store.close();
    await store.close();
  });
});
