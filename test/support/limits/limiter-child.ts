// A server process that takes permits as fast as it can until it is stopped. Then it reports for each permit when it
// asked and when the answer came.

import { setTimeout as delay } from 'node:timers/promises';
import { openRedis } from '../../../src/adapters/redis/connection/open-redis.ts';
import { openRateLimiter } from '../../../src/adapters/redis/rate-limits/rate-limiter.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import type { Limit, PermitDecision } from '../../../src/resilience/rate-limiter.ts';
import type { Admitted } from './limiter-crowd.ts';

const [url = '', name = '', limitText = '{}'] = process.argv.slice(2);
const limit: Limit = JSON.parse(limitText);
const link = openRedis({ url, clock: systemClock, log: silentLog });
await link.ready(5000);
const limiter = await openRateLimiter({
  link,
  clock: systemClock,
  log: silentLog,
  metrics: createMetrics(),
  serverId: name,
  keyPrefix: 'spillway:',
  ttlMs: 120_000,
});

const ASKING_AT_ONCE = 8;
const MAX_PAUSE_MS = 5;
const admitted: Admitted[] = [];
let asks = 0;
const over = new AbortController();
process.on('message', () => over.abort());
process.send?.('ready');
await Promise.all(Array.from({ length: ASKING_AT_ONCE }, askOnAndOn));
await limiter.close();
await link.close();
process.send?.(admitted, () => process.disconnect?.());

async function askOnAndOn(): Promise<void> {
  while (!over.signal.aborted) {
    const askedAt = Date.now();
    const decision = await ask();
    if (decision.isAllowed) admitted.push([askedAt, Date.now()]);
    else await delay(Math.min(MAX_PAUSE_MS, decision.retryAfterMs ?? MAX_PAUSE_MS));
  }
}

function ask(): Promise<PermitDecision> {
  asks += 1;
  const permit = { id: `${name}-${asks}`, limits: [limit], tokens: 1, expiresMs: 60_000 };
  return new Promise((resolve) => limiter.take(permit, resolve));
}
