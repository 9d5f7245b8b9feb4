// Opens the memory of refused provider credentials; with a Redis all servers share it. A key is known to other servers only by
// a hash keyed with the secret of the store.

import { createMemoryCredentialExchange } from '../../adapters/memory/credential-exchange.ts';
import type { RedisLink } from '../../adapters/redis/connection/open-redis.ts';
import { commonPrefix } from '../../adapters/redis/rate-limits/rate-limit-keys.ts';
import { hashApiKey } from '../../admission/api-key.ts';
import type { CredentialExchange } from '../../admission/credentials/credential-exchange.ts';
import type { RefusedCredentials } from '../../admission/credentials/refused-credentials.ts';
import { shareCredentials } from '../../admission/credentials/share-credentials.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';

export type CredentialsContext = {
  /** The cluster's Redis; undefined for a single process. */
  readonly redis: RedisLink | undefined;
  readonly hashKey: string;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
};

export async function openCredentials(
  config: Config,
  { redis, hashKey, clock, lifecycle }: CredentialsContext,
): Promise<RefusedCredentials> {
  const exchange = redis ? await openOnRedis(config, redis) : createMemoryCredentialExchange();
  lifecycle.onClose('refused credentials', () => exchange.close());
  return shareCredentials({
    clock,
    refusedMs: config.retry.refusedCredentialMs,
    exchange,
    fingerprintOf(provider, account) {
      const known = config.providers[provider]?.accounts.find(({ name }) => name === account);
      return known && hashApiKey(known.apiKey, hashKey);
    },
  });
}

async function openOnRedis({ storage }: Config, link: RedisLink): Promise<CredentialExchange> {
  // Imported only here: a single process does not load the Redis adapters.
  const { createRedisCredentialExchange } = await import(
    '../../adapters/redis/credential-exchange.ts'
  );
  return createRedisCredentialExchange({ link, keyPrefix: commonPrefix(storage.redisKeyPrefix) });
}
