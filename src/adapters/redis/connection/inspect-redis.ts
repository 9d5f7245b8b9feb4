// Reads the state of a Redis for `doctor`, without changing it. Throws the driver's failure when Redis is unavailable.

import type { Redis } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import { answerWithin } from './answer-within.ts';
import type { RedisAddress } from './redis-address.ts';
import { RedisConnection } from './redis-connection.ts';
import { REDIS_TIMEOUTS } from './redis-settings.ts';

export type RedisInspection = {
  /** Such as `7.0.15`. Version, role and policy are undefined when the user may not run INFO. */
  readonly version: string | undefined;
  readonly role: string | undefined;
  readonly evictionPolicy: string | undefined;
  /** How far the clock of Redis is ahead of ours. */
  readonly aheadMs: number;
  /** Key prefixes under which servers keep rate limits now, without `ratelimit:` and the rest of the key. */
  readonly limitPrefixes: readonly string[];
};

const TIMEOUT_MS = 3000;
const SERVERS_KEY = 'ratelimit:servers';
/** Servers announce themselves every few seconds. */
const ALIVE_MS = 60_000;
/** Bounds the search in a large Redis. */
const MAX_SCANS = 200;
const KEYS_PER_SCAN = 1000;

export async function inspectRedis(address: RedisAddress, clock: Clock): Promise<RedisInspection> {
  const ready = Promise.withResolvers<void>();
  const connection = new RedisConnection({
    address,
    name: 'inspect',
    timeouts: REDIS_TIMEOUTS,
    clock,
    verify: async (redis) => void (await redis.ping()),
    onStateChange: () => ready.resolve(),
    onFailure: () => ready.resolve(),
  });
  try {
    await answerWithin(clock, TIMEOUT_MS, ready.promise);
    if (!connection.isUp) throw connection.lastFailure ?? new Error('no answer');
    return await connection.run((redis) => inspect(redis, clock), TIMEOUT_MS);
  } finally {
    await connection.close();
  }
}

async function inspect(redis: Redis, clock: Clock): Promise<RedisInspection> {
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
