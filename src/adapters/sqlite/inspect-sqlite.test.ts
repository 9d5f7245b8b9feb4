import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newOrganization } from '../../admission/organization.ts';
import { createOrganizationStore } from '../sql/organization-store.ts';
import { inspectSqlite } from './inspect-sqlite.ts';
import { openSqlite } from './open-sqlite.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'spillway-inspect-'));
after(() => rmSync(FOLDER, { recursive: true }));

test('a missing store lacks every migration, and the inspection does not create it', async () => {
  const file = join(FOLDER, 'absent.db');
  const { exists, pending, newestAt } = await inspectSqlite(file);
  assert.equal(exists, false);
  assert.equal(pending[0], '0001_baseline');
  assert.equal(newestAt, undefined);
  assert.equal(existsSync(file), false);
});

test('a store in use can be inspected and reports its newest timestamp', async () => {
  const file = join(FOLDER, 'used.db');
  const store = await openSqlite(file);
  try {
    assert.deepEqual(await inspectSqlite(file), { exists: true, pending: [], newestAt: undefined });
    await createOrganizationStore(store.db).create(newOrganization({ id: 'acme' }, 1234));
    assert.equal((await inspectSqlite(file)).newestAt, 1234);
  } finally {
    await store.close();
  }
});

test('a file that is not a database is rejected', async () => {
  const file = join(FOLDER, 'text.db');
  writeFileSync(file, 'this is not a database, only a text that is long enough to look like one');
  await assert.rejects(inspectSqlite(file), /not a database/);
});
