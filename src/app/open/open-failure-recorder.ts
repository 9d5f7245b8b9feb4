// Opens the request records for operators: with a Redis any gateway finds the records of all servers. Every key that this
// process knows is redacted from them.

import { createMemoryRequestRecords } from '../../adapters/memory/request-records.ts';
import { commonPrefix } from '../../adapters/redis/rate-limits/rate-limit-keys.ts';
import type { Config } from '../../config/config.ts';
import { createRedactor } from '../../errors/redact.ts';
import type { FailureRecorder } from '../../flow/call/call-order.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { RequestRecords } from '../../upstream/request-records.ts';
import type { Identity } from '../identity.ts';
import type { SharedState } from './shared-state.ts';

export type FailureRecorderContext = {
  readonly identity: Identity;
  readonly shared: Pick<SharedState, 'redis'>;
  readonly lifecycle: Lifecycle;
};

export async function openFailureRecorder(
  config: Config,
  { identity: { adminKey, apiKey }, shared, lifecycle }: FailureRecorderContext,
): Promise<FailureRecorder> {
  const accounts = Object.values(config.providers).flatMap((provider) => provider.accounts);
  const secrets = [...accounts.map((account) => account.apiKey), adminKey, apiKey ?? ''];
  const records = await openRecords(config, shared);
  lifecycle.onClose('request records', () => records.flush());
  return { records, redact: createRedactor(secrets) };
}

async function openRecords(
  config: Config,
  { redis: link }: Pick<SharedState, 'redis'>,
): Promise<RequestRecords> {
  const local = createMemoryRequestRecords();
  if (!link) return local;
  // Imported only here: a single process does not load the Redis adapters.
  const { createRedisRequestRecords } = await import(
    '../../adapters/redis/request-records/request-records.ts'
  );
  const keyPrefix = commonPrefix(config.storage.redisKeyPrefix);
  return createRedisRequestRecords({ link, keyPrefix, local });
}
