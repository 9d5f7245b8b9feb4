// Servers that share a Redis must share the durable store too: otherwise one would hold back calls, or count limits,
// for callers it knows nothing of. The first server writes down the id of its store; every other one compares. After
// Redis has lost its data, whoever comes first writes it down again.

import type { Redis } from 'ioredis';

/** Why this Redis must not be used, or undefined when it is ours. */
export async function whyForeign(
  redis: Redis,
  keyPrefix: string,
  storeId: string,
): Promise<string | undefined> {
  const key = `${keyPrefix}store-id`;
  // Reading comes first because this is asked every second, and nearly always the answer is there.
  const known = (await redis.get(key)) ?? (await claim(redis, key, storeId));
  return known === storeId ? undefined : FOREIGN;
}

export const FOREIGN = 'it belongs to another Spillway store';

async function claim(redis: Redis, key: string, storeId: string): Promise<string | null> {
  const isClaimed = await redis.set(key, storeId, 'NX');
  return isClaimed ? storeId : redis.get(key);
}
