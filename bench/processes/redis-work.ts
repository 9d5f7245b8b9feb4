// How much a Redis has done, by its own count: every command, those that scripts call within it included, and how many
// of the commands were scripts. It counts for all its clients, so a Redis that others use too gives too much.

import { Redis } from 'ioredis';

export type RedisWork = { readonly commands: number; readonly scripts: number };

const SCRIPTS = new Set(['eval', 'evalsha', 'fcall']);

/** Asks on a connection of its own, which it closes again. */
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

/** Lines such as `cmdstat_evalsha:calls=12,usec=340,…`; a subcommand stands as `cmdstat_config|get`. */
export function parseCommandStats(text: string): RedisWork {
  let [commands, scripts] = [0, 0];
  for (const [, name = '', calls] of text.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    // Asking for the count is no work of what is measured.
    if (name === 'info') continue;
    commands += Number(calls);
    if (SCRIPTS.has(name)) scripts += Number(calls);
  }
  return { commands, scripts };
}
