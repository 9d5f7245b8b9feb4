// A Redis may serve data older than its last answers: a promoted replica lacks the last writes of the primary that died, and
// a restarted Redis those since its last snapshot. The data itself names the process that wrote it (`run_id`). When another
// process serves it, the epochs of the limits are deleted, and every server reports its admissions and limits again, as
// after a loss of all data; a report that Redis already has counts once.

import type { Redis } from 'ioredis';
import { defineScript, runScript } from './redis-script.ts';

/** Runs on every new connection and at every heartbeat. A user without INFO keeps the epochs as they are. */
export type RenewEpochs = (redis: Redis) => Promise<void>;

// KEYS  1 the id of the process that wrote the data  2… the epochs
// ARGV  1 the id of this process
const RENEW = defineScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('DEL', unpack(KEYS, 2))
`);

export function createRenewEpochs(keyPrefix: string, epochKeys: readonly string[]): RenewEpochs {
  let knownId: string | undefined;
  return async (redis) => {
    const id = await readRunId(redis);
    if (id === undefined || id === knownId) return;
    await runScript(redis, RENEW, [`${keyPrefix}run-id`, ...epochKeys], [id]);
    knownId = id;
  };
}

async function readRunId(redis: Redis): Promise<string | undefined> {
  const info = await redis.info('server').catch((cause: unknown) => {
    if (cause instanceof Error && cause.message.startsWith('NOPERM')) return '';
    throw cause;
  });
  return /^run_id:(\w+)/m.exec(info)?.[1];
}
