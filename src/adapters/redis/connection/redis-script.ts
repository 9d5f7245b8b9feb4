// A Lua script that Redis runs as one step. It is asked for by its hash; a Redis that was restarted or flushed has
// forgotten it and is sent it again.

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
