// Servers that share a Redis must share the durable store too: otherwise one store's limits would refuse the other store's
// callers. The first server writes the id of its store, and every other server compares. After Redis has lost its data, the
// first server to reconnect writes the id again.

import type { Redis } from 'ioredis';

/** Why this Redis must not be used; undefined if it belongs to this store. */
export async function verifyStore(
  redis: Redis,
  keyPrefix: string,
  storeId: string,
): Promise<string | undefined> {
  const key = `${keyPrefix}store-id`;
  // Each heartbeat runs this, and the id is nearly always there: so a plain read goes first.
  const known = (await redis.get(key)) ?? (await claim(redis, key, storeId));
  return known === storeId ? undefined : FOREIGN;
}

export const FOREIGN = 'it belongs to another Spillway store';

async function claim(redis: Redis, key: string, storeId: string): Promise<string | null> {
  const isClaimed = await redis.set(key, storeId, 'NX');
  return isClaimed ? storeId : redis.get(key);
}
