import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sql } from 'kysely';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { isStoreUnavailable } from '../../errors/store-unavailable.ts';
import { openSqlite } from './open-sqlite.ts';

const NOW = 1;

test('an error of a locked file is marked as store unavailable, a constraint violation is not', async (context) => {
  const file = join(tempFolder(context), 'spillway.db');
  const store = await openSqlite(file);
  await sql`pragma busy_timeout = 0`.execute(store.db);
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  const write = () =>
    store.db.insertInto('meta').values({ name: 'n', value: 'v', created_at: NOW }).execute();
  await assert.rejects(write, (error) => isStoreUnavailable(error));
  other.exec('rollback');
  other.close();
  await write();
  await assert.rejects(
    write,
    (error) => !isStoreUnavailable(error),
    'a duplicate key is not an outage',
  );
  await store.close();
});

test('an error of a wrong statement is not marked', async () => {
  const store = await openSqlite(':memory:');
  await assert.rejects(sql`select nothing from nowhere`.execute(store.db), (error) => {
    return error instanceof Error && !isStoreUnavailable(error);
  });
  await store.close();
});
