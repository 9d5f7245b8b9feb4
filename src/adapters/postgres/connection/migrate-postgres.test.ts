import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  createTestDatabase,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { createOrganizationStore } from '../../sql/organization-store.ts';
import { loadStoreIdentity } from '../../sql/store-identity.ts';
import { migratePostgres, pendingInPostgres } from './migrate-postgres.ts';
import { openPostgres } from './open-postgres.ts';

describe('migrating PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase('migrate', { isMigrated: false });
  });
  afterEach(() => database.drop());

  it('listing pending migrations changes nothing, and a second run finds none', async () => {
    const store = openPostgres(database.url);
    const pending = await pendingInPostgres(store);
    assert.equal(pending[0], '0001_baseline');
    assert.deepEqual(await schemas(), ['public']);
    assert.deepEqual(await migratePostgres(database.url), pending);
    assert.deepEqual(await pendingInPostgres(store), []);
    assert.deepEqual(await migratePostgres(database.url), []);
    await store.close();
  });

  it('servers that start together migrate once and read the same store identity', async () => {
    const starts = Array.from({ length: 5 }, async () => {
      const ran = await migratePostgres(database.url);
      const store = openPostgres(database.url);
      const identity = await loadStoreIdentity(store.db, 1);
      await store.close();
      return { ran, identity };
    });
    const started = await Promise.all(starts);
    const ran = started.flatMap((start) => start.ran);
    assert.equal(new Set(ran).size, ran.length);
    assert.ok(ran.length > 0);
    assert.equal(new Set(started.map(({ identity }) => JSON.stringify(identity))).size, 1);
  });

  it('tables of other programs stay unchanged, also tables with equal names', async () => {
    await runOn(
      database.url,
      `create table organizations (id serial primary key, title text);
       create table jobs (job uuid); create table meta (anything int);
       insert into organizations (title) values ('theirs')`,
    );
    await migratePostgres(database.url);
    const store = openPostgres(database.url);
    const organizations = createOrganizationStore(store.db);
    assert.deepEqual((await organizations.list({ limit: 9 })).organizations, []);
    await loadStoreIdentity(store.db, 1);
    await store.close();
    assert.deepEqual(await runOn(database.url, 'select title from public.organizations'), [
      { title: 'theirs' },
    ]);
    assert.deepEqual(await runOn(database.url, 'select * from public.meta'), []);
  });

  it('creates the table of build events in the schema of the product', async () => {
    await migratePostgres(database.url);
    assert.deepEqual(await runOn(database.url, 'select * from public.project_build_events'), []);
    assert.deepEqual(await indexesOfBuildEvents(), BUILD_EVENT_INDEXES);
  });

  it('adds missing columns and indexes to an existing table of build events and keeps its rows', async () => {
    await runOn(
      database.url,
      `create table project_build_events (
         id serial primary key, build_id varchar(64) not null, event_type varchar(50) not null,
         event_data jsonb not null, created_at timestamp default current_timestamp,
         user_visible boolean default false, overall_progress numeric(3,2), own_column text);
       insert into project_build_events (build_id, event_type, event_data, own_column)
         values ('b1', 'started', '{"step": 1}', 'theirs')`,
    );
    await migratePostgres(database.url);
    const rows = await runOn(
      database.url,
      `select build_id, own_column, error_message, error_code, error_params, user_error_message,
         organization_id, finished from public.project_build_events`,
    );
    assert.deepEqual(rows, [
      {
        build_id: 'b1',
        own_column: 'theirs',
        error_message: null,
        error_code: null,
        error_params: null,
        user_error_message: null,
        organization_id: null,
        finished: false,
      },
    ]);
    assert.deepEqual(await indexesOfBuildEvents(), BUILD_EVENT_INDEXES);
  });

  it('accepts a store that a newer version has migrated', async () => {
    await migratePostgres(database.url);
    await runOn(
      database.url,
      `insert into spillway.spillway_migrations values ('9999_to_come', '2030-01-01T00:00:00Z')`,
    );
    assert.deepEqual(await migratePostgres(database.url), []);
  });

  it('an outdated function is pending until the next migration replaces it', async () => {
    await migratePostgres(database.url);
    const store = openPostgres(database.url);
    await runOn(
      database.url,
      `update spillway.spillway_functions set digest = 'old' where name = 'move_jobs'`,
    );
    assert.deepEqual(await pendingInPostgres(store), ['functions']);
    assert.deepEqual(await migratePostgres(database.url), ['functions']);
    assert.deepEqual(await pendingInPostgres(store), []);
    await store.close();
  });

  it('text columns compare by bytes, as in embedded storage', async () => {
    await migratePostgres(database.url);
    const rows = await runOn(
      database.url,
      `select distinct collation_name from information_schema.columns
       where table_schema = 'spillway' and data_type = 'text'`,
    );
    assert.deepEqual(rows, [{ collation_name: 'C' }]);
  });

  async function indexesOfBuildEvents(): Promise<readonly unknown[]> {
    const rows = await runOn(
      database.url,
      `select indexname from pg_indexes where schemaname = 'public'
         and tablename = 'project_build_events' and indexname not like '%pkey' order by 1`,
    );
    return rows.map((row) => row['indexname']);
  }

  async function schemas(): Promise<readonly unknown[]> {
    const rows = await runOn(
      database.url,
      `select nspname from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema'`,
    );
    return rows.map((row) => row['nspname']);
  }
});

const BUILD_EVENT_INDEXES = [
  'idx_pbe_error_code',
  'idx_project_build_events_build',
  'idx_project_build_events_user_error_message',
];
