// A private Redis and servers on it, for tests of what is shared: limits have fixed names, so tests that ran on one
// Redis would see each other's.

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
  /** As an outsider has one: an operator with redis-cli. */
  readonly outsider: Redis;
  open(options?: Partial<OpenRedisOptions>): RedisLink;
  /** One server of the cluster, whose time the test owns and begins with the real one. */
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
      const places = [{ provider: 'anthropic', region: 'us-east' }];
      const limits = await openProviderLimits({ link, clock, places, skewMs: 1000 });
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

/** Resolves as soon as the claim holds; asked every turn of the event loop, so that what it waits for can happen. */
export async function until(claim: () => boolean | Promise<boolean>): Promise<void> {
  const lateAt = Date.now() + NEVER_MS;
  while (!(await claim())) {
    if (Date.now() > lateAt) throw new Error(`it never became so: ${claim.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** For a busy machine; what happens at all happens much sooner. */
const NEVER_MS = 20_000;
