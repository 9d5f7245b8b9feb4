// A private Redis and servers on it. The keys of provider limits have no prefix, so tests on one Redis would share them.

import { Redis } from 'ioredis';
import {
  type OpenRedisOptions,
  openRedis,
  type RedisLink,
} from '../../../src/adapters/redis/connection/open-redis.ts';
import { openProviderLimits } from '../../../src/adapters/redis/provider-limits/provider-limits.ts';
import type { ProviderLimits } from '../../../src/admission/provider-limits.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import type { OpenedProviderLimits } from '../../contract/provider-limits.ts';
import type { ServiceHandle } from '../services/service-handle.ts';
import { startServices } from '../services/start-services.ts';
import { createTestClock, type TestClock } from '../test-clock.ts';

export type SharedServer = OpenedProviderLimits & {
  readonly limits: ProviderLimits;
  readonly clock: TestClock;
  readonly link: RedisLink;
};

export type RedisRig = {
  readonly url: string;
  readonly service: ServiceHandle;
  /** A plain client, as an operator has with redis-cli. */
  readonly outsider: Redis;
  open(options?: Partial<OpenRedisOptions>): RedisLink;
  /** One server of the cluster on a test clock, which starts at the real time. */
  openServer(options?: Partial<OpenRedisOptions>, patienceMs?: number): Promise<SharedServer>;
  close(): Promise<void>;
};

export async function openRedisRig(): Promise<RedisRig> {
  const env = { PATH: process.env['PATH'] };
  const services = await startServices({ env, log: () => {}, wanted: ['redis'] });
  const { redisUrl: url, redis: service } = services;
  const outsider = new Redis(url, { lazyConnect: true });
  outsider.on('error', () => {});
  const opened: { close(): Promise<void> }[] = [];

  function open(options: Partial<OpenRedisOptions> = {}): RedisLink {
    const link = openRedis({ url, clock: systemClock, log: silentLog, ...options });
    opened.push(link);
    return link;
  }

  return {
    url,
    service,
    outsider,
    open,
    async openServer(options = {}, patienceMs = 5000) {
      const clock = createTestClock(Date.now());
      const link = open(options);
      await link.ready(patienceMs);
      const scopes = [{ provider: 'anthropic', region: 'us-east' }];
      const limits = await openProviderLimits({ link, clock, scopes, skewMs: 1000 });
      const close = async () => {
        await limits.close();
        await link.close();
      };
      opened.push({ close });
      return { limits, clock, link, close };
    },
    async close() {
      await Promise.all(opened.map((own) => own.close()));
      outsider.disconnect();
      await services.close();
    },
  };
}

/** Resolves when the claim is true; evaluates it once per turn of the event loop, and rejects after a time limit. */
export async function until(claim: () => boolean | Promise<boolean>): Promise<void> {
  const lateAt = Date.now() + TIMEOUT_MS;
  while (!(await claim())) {
    if (Date.now() > lateAt)
      throw new Error(`still false after ${TIMEOUT_MS} ms: ${claim.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Generous, for a busy machine. */
const TIMEOUT_MS = 20_000;
