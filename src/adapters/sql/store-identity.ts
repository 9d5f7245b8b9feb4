// The identity of a store, created once: an id, by which servers on the same Redis or RabbitMQ check that they share the
// store too, and the key that hashes API keys when the operator configures none.

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

export type StoreIdentity = { readonly storeId: string; readonly hashKey: string };

export async function loadStoreIdentity(db: Kysely<Schema>, now: number): Promise<StoreIdentity> {
  return {
    storeId: await getOrCreate(db, 'store_id', 16, now),
    hashKey: await getOrCreate(db, 'hash_key', 32, now),
  };
}

/** Servers that start together all insert a value; the first one stays and all of them read it. */
async function getOrCreate(
  db: Kysely<Schema>,
  name: string,
  bytes: number,
  now: number,
): Promise<string> {
  const value = randomBytes(bytes).toString('base64url');
  await db
    .insertInto('meta')
    .values({ name, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}
