// Two requests a second, exactly: in this process or, with REDIS_URL, for all processes together.

import { openMemory } from 'spillway/adapters/memory';
import { rateLimit } from 'spillway/resilience';

const { REDIS_URL } = process.env;
const state = REDIS_URL
  ? await (await import('spillway/adapters/redis')).openRedis({
      url: REDIS_URL,
      keyPrefix: 'example:',
    })
  : await openMemory();

const limits = [
  { tier: 'provider', subject: 'search', kind: 'requests', max: 2, windowMs: 1000 },
] as const;
const paced = rateLimit({ limiter: state.rateLimiter, limits, maxWaitMs: 5000 });

const startedAt = performance.now();
await Promise.all(
  ['a', 'b', 'c', 'd'].map((name) =>
    paced(async () => {
      const seconds = Math.floor((performance.now() - startedAt) / 1000);
      console.log(`${name} runs in second ${seconds}`);
    }),
  ),
);
await state.close();
