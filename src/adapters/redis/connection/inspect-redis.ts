// A look at a Redis without changing it, for `doctor`. Throws what kept it away when it cannot be reached.

import type { Redis } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import { answerWithin } from './answer-within.ts';
import { RedisConnection } from './redis-connection.ts';
import { REDIS_TIMEOUTS } from './redis-settings.ts';

export type RedisInspection = {
  /** Such as `7.0.15`; undefined where the account may not ask, as with the next two. */
  readonly version: string | undefined;
  readonly role: string | undefined;
  /** What it does when its memory is full. */
  readonly evictionPolicy: string | undefined;
  /** By how much its clock is ahead of ours. */
  readonly aheadMs: number;
  /** Under which prefixes servers keep their limits here at this time; what is behind `ratelimit:` is left off. */
  readonly limitPrefixes: readonly string[];
};

const PATIENCE_MS = 3000;
const SERVERS_KEY = 'ratelimit:servers';
/** Servers tell every few seconds that they are there. */
const ALIVE_MS = 60_000;
/** So much of a large Redis is looked through, and no more. */
const MAX_SCANS = 200;
const KEYS_PER_SCAN = 1000;

export async function inspectRedis(url: string, clock: Clock): Promise<RedisInspection> {
  const ready = Promise.withResolvers<void>();
  const connection = new RedisConnection({
    url,
    name: 'inspect',
    timeouts: REDIS_TIMEOUTS,
    clock,
    greet: async (redis) => void (await redis.ping()),
    onStateChange: () => ready.resolve(),
    onTrouble: () => ready.resolve(),
  });
  try {
    await answerWithin(clock, PATIENCE_MS, ready.promise);
    if (!connection.isUp) throw connection.lastFailure ?? new Error('it does not answer');
    return await connection.run((redis) => look(redis, clock), PATIENCE_MS);
  } finally {
    await connection.close();
  }
}

async function look(redis: Redis, clock: Clock): Promise<RedisInspection> {
  const info = await redis.info().catch(() => '');
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const sentAt = clock.now();
  const [seconds, micros] = await redis.time();
  const middle = (sentAt + clock.now()) / 2;
  const redisNow = Number(seconds) * 1000;
  return {
    version: field('redis_version'),
    role: field('role'),
    evictionPolicy: field('maxmemory_policy'),
    aheadMs: Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - middle),
    limitPrefixes: await findLimitPrefixes(redis, redisNow).catch(() => []),
  };
}

async function findLimitPrefixes(redis: Redis, redisNow: number): Promise<readonly string[]> {
  const prefixes = new Set<string>();
  let cursor = '0';
  for (let scans = 0; scans < MAX_SCANS; scans += 1) {
    const match = ['MATCH', `*${SERVERS_KEY}`, 'COUNT', KEYS_PER_SCAN] as const;
    const [next, keys] = await redis.scan(cursor, ...match);
    for (const key of keys)
      if (await isAlive(redis, key, redisNow)) prefixes.add(key.slice(0, -SERVERS_KEY.length));
    cursor = next;
    if (cursor === '0') break;
  }
  return [...prefixes].toSorted();
}

async function isAlive(redis: Redis, key: string, redisNow: number): Promise<boolean> {
  return (await redis.zcount(key, redisNow - ALIVE_MS, '+inf')) > 0;
}
