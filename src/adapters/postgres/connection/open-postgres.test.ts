import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import {
  createTestDatabase,
  openEmptyStore,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { toNumber } from '../../sql/sql-dialect.ts';
import { inspectPostgres } from './inspect-postgres.ts';
import { openPostgres, type PostgresStore } from './open-postgres.ts';

describe('the store on PostgreSQL', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  before(async () => {
    database = await createTestDatabase('open');
    store = await openEmptyStore(database);
  });
  after(async () => {
    await store.close();
    await store.close();
    await database.drop();
  });

  it('returns integers as numbers and JSON as text, and rejects an unsafe integer', async () => {
    const { rows } = await sql<Record<string, unknown>>`
      select 9007199254740991::bigint as big, count(*) as counted, sum(2::bigint) as summed,
        1.5::numeric as half, '{"a": [1]}'::jsonb as document`.execute(store.db);
    assert.deepEqual(rows, [
      { big: Number.MAX_SAFE_INTEGER, counted: 1, summed: 2, half: 1.5, document: '{"a": [1]}' },
    ]);
    const huge = await sql<{ n: number }>`select 9007199254740993::bigint as n`.execute(store.db);
    assert.throws(() => toNumber(huge.rows[0]?.n ?? 0), /9007199254740993/);
  });

  it('stores a text with NUL by replacing the character', async () => {
    await store.db
      .insertInto('meta')
      .values({ name: 'nul', value: 'a\0b', created_at: 1 })
      .execute();
    const row = await store.db.selectFrom('meta').select('value').executeTakeFirstOrThrow();
    assert.equal(row.value, 'a\uFFFDb');
  });

  it('a failed transaction rejects with its cause, and the next statement succeeds', async () => {
    const row = { name: 'twice', value: '', created_at: 1 };
    const failing = store.db.transaction().execute(async (trx) => {
      await trx.insertInto('meta').values(row).execute();
      await trx.insertInto('meta').values(row).execute();
    });
    await assert.rejects(failing, /duplicate key/);
    const swallowing = store.db.transaction().execute(async (trx) => {
      await sql`select 1 / 0`.execute(trx).catch(() => {});
    });
    await assert.rejects(swallowing, /rolled back/);
    const found = await store.db.selectFrom('meta').where('name', '=', 'twice').execute();
    assert.deepEqual(found, []);
    assert.equal(store.load().idle, store.load().open);
  });

  it('a statement timeout rejects the statement and keeps the connection', async () => {
    const impatient = openPostgres(database.url, { statementTimeoutMs: 50, maxConnections: 1 });
    await assert.rejects(sql`select pg_sleep(10)`.execute(impatient.db), /statement timeout/);
    assert.deepEqual((await sql`select 1 as one`.execute(impatient.db)).rows, [{ one: 1 }]);
    await impatient.close();
  });

  it('opens a new connection after PostgreSQL ended one, idle or busy', async () => {
    const victim = openPostgres(database.url, { applicationName: 'victim', maxConnections: 1 });
    await sql`select 1`.execute(victim.db);
    await endConnections(database.url, 'victim');
    while (victim.load().open > 0) await new Promise((resolve) => setImmediate(resolve));
    await sql`select 1`.execute(victim.db);
    const sleeping = assert.rejects(sql`select pg_sleep(10)`.execute(victim.db), /terminat/);
    while ((await endConnections(database.url, 'victim', 'active')) === 0);
    await sleeping;
    await sql`select 1`.execute(victim.db);
    await victim.close();
  });

  it('rejects immediately if nothing listens at the address', async () => {
    const nowhere = openPostgres('postgres://nobody@127.0.0.1:9/nothing');
    await assert.rejects(nowhere.db.selectFrom('meta').selectAll().execute(), /ECONNREFUSED/);
    await nowhere.close();
  });

  it('an inspection reports version, migrations and clock difference', async () => {
    const found = await inspectPostgres(database.url, () => Date.now());
    assert.match(found.version, /^\d+\.\d+/);
    assert.deepEqual(found.pending, []);
    assert.ok(Math.abs(found.aheadMs) < 1000);
  });
});

/** Returns the number of ended connections. */
async function endConnections(url: string, name: string, state = 'idle'): Promise<number> {
  const rows = await runOn(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = '${name}' and state = '${state}'`,
  );
  return rows.length;
}
