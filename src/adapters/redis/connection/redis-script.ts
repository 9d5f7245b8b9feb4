// A Lua script that Redis runs atomically. It is called by its hash, and sent in full when a restart or a flush has emptied
// the script cache.

import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

export type RedisScript = { readonly lua: string; readonly sha: string };

export function defineScript(lua: string): RedisScript {
  return Object.freeze({ lua, sha: createHash('sha1').update(lua).digest('hex') });
}

export async function runScript(
  redis: Redis,
  { lua, sha }: RedisScript,
  keys: readonly string[],
  args: readonly (string | number)[] = [],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.startsWith('NOSCRIPT'))) throw cause;
    return redis.eval(lua, keys.length, ...keys, ...args);
  }
}
