// Inspects the Redis of REDIS_URL for `doctor`. An unusable Redis is a StartFailure.

import {
  addressOf,
  failureText,
  permanentFailure,
} from '../../adapters/redis/connection/failure-text.ts';
import {
  type RedisInspection as Inspection,
  inspectRedis as inspect,
} from '../../adapters/redis/connection/inspect-redis.ts';
import { systemClock } from '../../kernel/clock.ts';
import { StartFailure } from '../start-failure.ts';

export type RedisInspection = Inspection & { readonly place: string };

export async function inspectRedis(url: string): Promise<RedisInspection> {
  const place = addressOf(url);
  try {
    return { place, ...(await inspect(url, systemClock)) };
  } catch (error) {
    const why = permanentFailure(error) ?? `cannot be used (${failureText(error)})`;
    throw new StartFailure(`The Redis at ${place} ${why}.`);
  }
}
