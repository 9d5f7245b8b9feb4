// Inspects the Redis of REDIS_URL for `doctor`. An unusable Redis is a StartFailure.

import { failureText, permanentFailure } from '../../adapters/redis/connection/failure-text.ts';
import {
  type RedisInspection as Inspection,
  inspectRedis as inspect,
} from '../../adapters/redis/connection/inspect-redis.ts';
import { addressOf } from '../../adapters/redis/connection/redis-address.ts';
import type { Config } from '../../config/config.ts';
import { systemClock } from '../../kernel/clock.ts';
import { readRedisAddress } from '../open/redis-authorities.ts';
import { StartFailure } from '../start-failure.ts';

export type RedisInspection = Inspection & { readonly place: string };

export async function inspectRedis(config: Config, url: string): Promise<RedisInspection> {
  const place = addressOf(url);
  const address = readRedisAddress(config, url);
  try {
    return { place, ...(await inspect(address, systemClock)) };
  } catch (error) {
    const why = permanentFailure(error) ?? `cannot be used (${failureText(error)})`;
    throw new StartFailure(`The Redis at ${place} ${why}.`);
  }
}
