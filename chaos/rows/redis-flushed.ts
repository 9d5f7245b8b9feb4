// Everything in Redis is deleted under load, again and again: counts, known limits, who is alive. The servers stay up and
// learn of it only by what they find missing. No call may come to the provider beyond its limit for it.

import { Redis } from 'ioredis';
import type { ChaosRow } from '../chaos-row.ts';
import { harmJobs } from '../faults/harm-jobs.ts';
import { untilServed } from '../faults/strike.ts';
import type { Arena } from '../installation/arena.ts';

export const row: ChaosRow = {
  name: 'redis-flushed',
  title: 'everything in Redis is deleted',
  order: 5,
  isInShort: false,
  run: (arena) => harmJobs(arena, { harm: () => flushAgainAndAgain(arena) }),
};

async function flushAgainAndAgain(arena: Arena): Promise<string[]> {
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
