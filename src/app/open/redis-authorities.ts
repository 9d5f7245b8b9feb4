// The address of Redis with the certificate authorities of REDIS_CA_FILE.

import type { RedisAddress } from '../../adapters/redis/connection/redis-address.ts';
import type { Config } from '../../config/config.ts';
import { readAuthorities } from './read-authorities.ts';

export function readRedisAddress({ storage }: Config, url: string): RedisAddress {
  const { redisCaFile } = storage;
  if (redisCaFile === undefined) return { url };
  return { url, ca: readAuthorities('REDIS_CA_FILE', redisCaFile) };
}
