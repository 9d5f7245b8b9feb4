// Inserts organisations into an embedded store before the gateway opens it, bypassing the API: a hundred thousand
// requests would take longer than the measurement. Limits are set too high to refuse; some organisations have a key.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadStoreIdentity } from '../../src/adapters/sql/store-identity.ts';
import { openSqlite, type SqliteStore } from '../../src/adapters/sqlite/open-sqlite.ts';
import { displayPrefix, hashApiKey, makeApiKey } from '../../src/admission/api-key.ts';

export type Population = { readonly organizations: number; readonly keys: number };

/** As many as SQLite takes in one statement, at sixteen values each. */
const ROWS_PER_STATEMENT = 1000;
const MANY_REQUESTS = 1_000_000;
const MUCH_MONEY_NANOS = 1_000_000 * 1_000_000_000;

/** Resolves to the keys, each of a different organisation. */
export async function seedOrganizations(
  folder: string,
  { organizations, keys: keyCount }: Population,
): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const store = await openSqlite(join(folder, 'spillway.db'));
  try {
    const { hashKey } = await loadStoreIdentity(store.db, Date.now());
    const ids = Array.from({ length: organizations }, (_, index) => `bench-${index}`);
    const keys = Array.from({ length: keyCount }, () => makeApiKey());
    await insertOrganizations(store, ids);
    await insertKeys(store, ids, keys, hashKey);
    return keys;
  } finally {
    await store.close();
  }
}

async function insertOrganizations({ db }: SqliteStore, ids: readonly string[]): Promise<void> {
  const now = Date.now();
  const rows = ids.map((id) => ({
    id,
    name: id,
    monthly_budget_nanos: MUCH_MONEY_NANOS,
    requests_per_minute: MANY_REQUESTS,
    locale: null,
    time_zone: 'UTC',
    messages: '{}',
    allow_stale: 0,
    allow_prompt_preview: 0,
    webhook_secret: null,
    created_at: now,
    updated_at: now,
  }));
  await db.transaction().execute(async (trx) => {
    for (const some of chunks(rows)) await trx.insertInto('organizations').values(some).execute();
  });
}

async function insertKeys(
  { db }: SqliteStore,
  ids: readonly string[],
  keys: readonly string[],
  hashKey: string,
): Promise<void> {
  const now = Date.now();
  const rows = keys.map((key, index) => ({
    id: `key-${index}`,
    organization_id: ids[index] ?? '',
    name: 'bench',
    hash: hashApiKey(key, hashKey),
    prefix: displayPrefix(key),
    scopes: '["call"]',
    diagnostics: 0,
    models: null,
    created_at: now,
  }));
  await db.transaction().execute(async (trx) => {
    for (const some of chunks(rows)) await trx.insertInto('api_keys').values(some).execute();
  });
}

function* chunks<T>(rows: readonly T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    yield rows.slice(at, at + ROWS_PER_STATEMENT);
}
