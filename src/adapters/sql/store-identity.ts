// What a store knows about itself, made once: an id, by which servers that share a Redis or a RabbitMQ tell
// that they share the store too, and the key under which API keys are hashed when the operator gives none.

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

export type StoreIdentity = { readonly storeId: string; readonly hashKey: string };

export async function loadStoreIdentity(db: Kysely<Schema>, now: number): Promise<StoreIdentity> {
  return {
    storeId: await valueOf(db, 'store_id', 16, now),
    hashKey: await valueOf(db, 'hash_key', 32, now),
  };
}

/** Servers that start together all try to make it; the first one's value is everybody's. */
async function valueOf(
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
