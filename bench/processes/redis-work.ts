// The number of commands and scripts a Redis has executed, by its own statistics; commands called by scripts are
// included. The count covers all clients of that Redis.

import { Redis } from 'ioredis';

export type RedisWork = { readonly commands: number; readonly scripts: number };

const SCRIPTS = new Set(['eval', 'evalsha', 'fcall']);

/** Reads the statistics over a separate connection and closes it. */
export async function readRedisWork(url: string): Promise<RedisWork> {
  const client = new Redis(url);
  try {
    return parseCommandStats(await client.info('commandstats'));
  } finally {
    client.disconnect();
  }
}

export function workBetween(before: RedisWork, after: RedisWork): RedisWork {
  return {
    commands: after.commands - before.commands,
    scripts: after.scripts - before.scripts,
  };
}

/** Lines such as `cmdstat_evalsha:calls=12,usec=340,…`; a subcommand has the form `cmdstat_config|get`. */
export function parseCommandStats(text: string): RedisWork {
  let [commands, scripts] = [0, 0];
  for (const [, name = '', calls] of text.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    // The INFO command itself is not part of the measured work.
    if (name === 'info') continue;
    commands += Number(calls);
    if (SCRIPTS.has(name)) scripts += Number(calls);
  }
  return { commands, scripts };
}
