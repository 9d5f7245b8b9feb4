// How servers on one Redis tell each other of the room below providers' limits: at most one message a second for each
// place, and the latest is kept for servers that start later. While Redis is away nothing is told and nothing is queued,
// because the next answer says it anew.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type {
  HeadroomExchange,
  HeadroomNews,
  HeadroomPlace,
} from '../../admission/headroom-exchange.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { RedisLink } from './connection/open-redis.ts';

export type RedisHeadroomExchangeParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly keyPrefix: string;
};

const TELL_EVERY_MS = 1000;
/** Beyond so many, when each was last told is forgotten and begins anew. */
const MAX_PLACES = 2000;
/** What is older says nothing any more; the whole table goes when nobody has told anything for so long. */
const KEPT_MS = 3_600_000;

const gauge = z.object({
  limit: z.number().positive(),
  remaining: z.number().min(0),
  resetInMs: z.number().optional(),
});
const message = z.object({
  by: z.string(),
  at: z.number(),
  place: z.object({
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
  const tableKey = `${parts.keyPrefix}headroom`;
  const channel = `${parts.keyPrefix}headroom:changed`;
  const toldAtMs = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  let hear: (news: HeadroomNews) => void = () => {};

  async function tell(field: string, text: string): Promise<void> {
    await link.runPatiently((redis) =>
      redis
        .multi()
        .hset(tableKey, field, text)
        .pexpire(tableKey, KEPT_MS)
        .publish(channel, text)
        .exec(),
    );
  }

  async function readAll(): Promise<void> {
    const texts = await link.runPatiently((redis) => redis.hvals(tableKey));
    for (const text of texts) take(text, (toldAt) => Math.min(toldAt, clock.now()));
  }

  function take(text: string, readAt: (toldAt: number) => number): void {
    const told = decode(text);
    if (!told || told.by === me) return;
    const at = readAt(told.at);
    if (clock.now() - at < KEPT_MS) hear(toNews(told, at));
  }

  function hold(work: Promise<void>): Promise<void> {
    const held = work
      .catch(() => {})
      .finally(() => {
        underWay.delete(held);
      });
    underWay.add(held);
    return held;
  }

  return {
    tell(news) {
      const field = fieldOf(news.place);
      const nowMs = clock.monotonic();
      if (!link.isUp() || nowMs - (toldAtMs.get(field) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS)
        return;
      if (toldAtMs.size >= MAX_PLACES) toldAtMs.clear();
      toldAtMs.set(field, nowMs);
      void hold(tell(field, encode(news, me)));
    },
    async listen(listener) {
      hear = listener;
      await link.subscribe(channel, {
        // What is heard was said just now, whatever the speaker's clock says.
        hear: (text) => take(text, () => clock.now()),
        begin: () => void hold(readAll()),
      });
      await Promise.all(underWay);
    },
    async close() {
      hear = () => {};
      await Promise.all(underWay);
    },
  };
}

function fieldOf({ provider, account, region, model }: HeadroomPlace): string {
  return JSON.stringify([provider, account, region, model]);
}

/** Resets are told as lengths, because the servers' clocks differ. */
function encode({ place, gauges, readAt: at }: HeadroomNews, by: string): string {
  const told = Object.entries(gauges).map(([dimension, { limit, remaining, resetAt }]) => [
    dimension,
    { limit, remaining, ...(resetAt === undefined ? {} : { resetInMs: resetAt - at }) },
  ]);
  return JSON.stringify({ by, at, place, gauges: Object.fromEntries(told) });
}

type Message = z.infer<typeof message>;

/** Undefined for what is none of ours. */
function decode(text: string): Message | undefined {
  try {
    return message.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function toNews({ place, gauges }: Message, readAt: number): HeadroomNews {
  const heard = Object.entries(gauges).flatMap(([dimension, told]) => {
    if (!told) return [];
    const { limit, remaining, resetInMs } = told;
    const resetAt = resetInMs === undefined ? undefined : readAt + resetInMs;
    return [[dimension, { limit, remaining, resetAt }] as const];
  });
  return { place, gauges: Object.fromEntries(heard), readAt };
}
