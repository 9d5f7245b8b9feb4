// Inspects the Redis of REDIS_URL for `doctor`. An unusable Redis is a StartFailure.

import {
  type RedisInspection as Inspection,
  inspectRedis as inspect,
} from '../../adapters/redis/connection/inspect-redis.ts';
import { placeOf, reasonOf, whyRefused } from '../../adapters/redis/connection/why-unusable.ts';
import { systemClock } from '../../kernel/clock.ts';
import { StartFailure } from '../start-failure.ts';

export type RedisInspection = Inspection & { readonly place: string };

export async function inspectRedis(url: string): Promise<RedisInspection> {
  const place = placeOf(url);
  try {
    return { place, ...(await inspect(url, systemClock)) };
  } catch (error) {
    const why = whyRefused(error) ?? `cannot be used (${reasonOf(error)})`;
    throw new StartFailure(`The Redis at ${place} ${why}.`);
  }
}
