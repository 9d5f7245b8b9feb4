// Shares headroom readings over Redis: at most one message per second and scope, with the latest reading kept for servers
// that start later. While Redis is unavailable readings are dropped, because the next answer replaces them.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type {
  HeadroomExchange,
  HeadroomKey,
  HeadroomReading,
} from '../../admission/headroom-exchange.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { RedisLink } from './connection/open-redis.ts';
import { InFlight } from './in-flight.ts';

export type RedisHeadroomExchangeParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly keyPrefix: string;
};

const MIN_INTERVAL_MS = 1000;
/** Bounds the memory of last publications, which restarts when it is full. */
const MAX_SCOPES = 2000;
/** Older readings are dropped; the whole hash expires after this time without a reading. */
const MAX_AGE_MS = 3_600_000;

const gauge = z.object({
  limit: z.number().positive(),
  remaining: z.number().min(0),
  resetInMs: z.number().optional(),
});
const message = z.object({
  by: z.string(),
  at: z.number(),
  key: z.object({
    provider: z.string(),
    account: z.string(),
    region: z.string(),
    model: z.string(),
  }),
  gauges: z.partialRecord(z.enum(['requests', 'tokens', 'inputTokens', 'outputTokens']), gauge),
});

export function createRedisHeadroomExchange(parts: RedisHeadroomExchangeParts): HeadroomExchange {
  const { link, clock } = parts;
  const me = randomUUID();
  const hashKey = `${parts.keyPrefix}headroom`;
  const channel = `${parts.keyPrefix}headroom:changed`;
  const publishedAtMs = new Map<string, number>();
  const inFlight = new InFlight();
  let deliver: (reading: HeadroomReading) => void = () => {};

  async function send(field: string, text: string): Promise<void> {
    await link.runInBackground((redis) =>
      redis
        .multi()
        .hset(hashKey, field, text)
        .pexpire(hashKey, MAX_AGE_MS)
        .publish(channel, text)
        .exec(),
    );
  }

  async function readAll(): Promise<void> {
    const texts = await link.runInBackground((redis) => redis.hvals(hashKey));
    for (const text of texts) receive(text, (sentAt) => Math.min(sentAt, clock.now()));
  }

  function receive(text: string, readAt: (sentAt: number) => number): void {
    const sent = decode(text);
    if (!sent || sent.by === me) return;
    const at = readAt(sent.at);
    if (clock.now() - at < MAX_AGE_MS) deliver(toReading(sent, at));
  }

  function isTooSoon(field: string, nowMs: number): boolean {
    return nowMs - (publishedAtMs.get(field) ?? Number.NEGATIVE_INFINITY) < MIN_INTERVAL_MS;
  }

  return {
    publish(reading) {
      const field = fieldOf(reading.key);
      const nowMs = clock.monotonic();
      if (!link.isUp() || isTooSoon(field, nowMs)) return;
      if (publishedAtMs.size >= MAX_SCOPES) publishedAtMs.clear();
      publishedAtMs.set(field, nowMs);
      void inFlight.track(send(field, encode(reading, me)));
    },
    async subscribe(onReading) {
      deliver = onReading;
      await link.subscribe(channel, {
        // A message counts as sent just now, whatever its sender's clock says.
        onMessage: (text) => receive(text, () => clock.now()),
        onSubscribed: () => void inFlight.track(readAll()),
      });
      await inFlight.drained();
    },
    async close() {
      deliver = () => {};
      await inFlight.drained();
    },
  };
}

function fieldOf({ provider, account, region, model }: HeadroomKey): string {
  return JSON.stringify([provider, account, region, model]);
}

/** Resets are sent as durations, because the servers' clocks differ. */
function encode({ key, gauges, readAt: at }: HeadroomReading, by: string): string {
  const sent = Object.entries(gauges).map(([dimension, { limit, remaining, resetAt }]) => [
    dimension,
    { limit, remaining, ...(resetAt === undefined ? {} : { resetInMs: resetAt - at }) },
  ]);
  return JSON.stringify({ by, at, key, gauges: Object.fromEntries(sent) });
}

type Message = z.infer<typeof message>;

/** Undefined for a message in another format. */
function decode(text: string): Message | undefined {
  try {
    return message.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function toReading({ key, gauges }: Message, readAt: number): HeadroomReading {
  const received = Object.entries(gauges).flatMap(([dimension, sent]) => {
    if (!sent) return [];
    const { limit, remaining, resetInMs } = sent;
    const resetAt = resetInMs === undefined ? undefined : readAt + resetInMs;
    return [[dimension, { limit, remaining, resetAt }] as const];
  });
  return { key, gauges: Object.fromEntries(received), readAt };
}
