// One server's part in the `limit-known` row: it learns provider limits as a gateway does and also has a bare
// subscription on the same Redis for comparison. Timestamps come from the machine's clock, so that they can be
// subtracted across processes.

import { Redis } from 'ioredis';
import { z } from 'zod';
import { openRedis, type RedisLink } from '../../src/adapters/redis/connection/open-redis.ts';
import { openProviderLimits } from '../../src/adapters/redis/provider-limits/provider-limits.ts';
import type { ProviderLimits } from '../../src/admission/provider-limits.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { serveOrders } from './serve-orders.ts';

const CHANNEL = 'bench:limit-known';
const SCOPE = { provider: 'anthropic', region: 'us-east' };
const READY_WITHIN_MS = 10_000;

const Opened = z.object({ url: z.string() });
const Announced = z.object({ way: z.enum(['limit', 'bare']), resetAt: z.number() });

type Node = { readonly limits: ProviderLimits; readonly redis: Redis };

let node: Node | undefined;
let receivedAt = Promise.withResolvers<number>();
let awaited = { way: 'bare', resetAt: 0 };

serveOrders({
  async open(args) {
    const { url } = Opened.parse(args);
    const link = listened(openRedis({ url, clock: systemClock, log: silentLog }));
    await link.ready(READY_WITHIN_MS);
    const parts = { link, clock: systemClock, scopes: [SCOPE], skewMs: 1000 };
    const limits = await openProviderLimits(parts);
    const listener = new Redis(url);
    listener.on('message', (_channel, text) => {
      if (awaited.way === 'bare' && text === String(awaited.resetAt))
        receivedAt.resolve(nowMicros());
    });
    await listener.subscribe(CHANNEL);
    node = { limits, redis: new Redis(url) };
  },
  /** Starts to wait for this limit. */
  expect(args) {
    awaited = Announced.parse(args);
    receivedAt = Promise.withResolvers();
  },
  receivedAt: () => receivedAt.promise,
  /** Announces the limit; returns the timestamp just before. */
  async announce(args) {
    const { way, resetAt } = Announced.parse(args);
    if (!node) throw new Error('The order `open` must come first');
    const before = nowMicros();
    if (way === 'bare') await node.redis.publish(CHANNEL, String(resetAt));
    else await node.limits.set(limitUntil(resetAt));
    return before;
  },
});

/** The same link, which also checks after each message whether the awaited limit is known. */
function listened(link: RedisLink): RedisLink {
  return {
    ...link,
    subscribe: (channel, subscriber) =>
      link.subscribe(channel, {
        ...subscriber,
        onMessage(message) {
          subscriber.onMessage(message);
          if (awaited.way === 'limit' && isKnown(awaited.resetAt)) receivedAt.resolve(nowMicros());
        },
      }),
  };
}

function isKnown(resetAt: number): boolean {
  return node?.limits.active({ ...SCOPE, model: 'any' })?.resetAt === resetAt;
}

function limitUntil(resetAt: number) {
  return { ...SCOPE, resetAt, setBy: 'bench', setAt: Date.now(), kind: 'learnt' } as const;
}

function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
