// Redis is flushed repeatedly under load: counts, known limits and the server registry are gone. The servers keep
// running and notice the missing data. No call may exceed the provider's limit because of it.

import { Redis } from 'ioredis';
import type { ChaosRow } from '../chaos-row.ts';
import { untilServed } from '../faults/execute-kills.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';
import type { Arena } from '../installation/arena.ts';

export const row: ChaosRow = {
  name: 'redis-flushed',
  title: 'everything in Redis is deleted',
  order: 5,
  isInShort: false,
  run: (arena) => runJobsUnderFault(arena, { inject: () => flushRepeatedly(arena) }),
};

async function flushRepeatedly(arena: Arena): Promise<string[]> {
  const { kills, jobs } = arena.dose;
  const redis = new Redis(arena.engines.redisUrl);
  try {
    for (let time = 1; time <= kills; time += 1) {
      await untilServed(arena, Math.round((jobs * time) / (kills + 1)));
      arena.progress(`flush ${time} of ${kills}`);
      await redis.flushall();
    }
  } finally {
    redis.disconnect();
  }
  return [`flushed Redis ${kills}×`];
}
