// The limits in Redis: keys, scripts, and the messages on the channel. Its only state is the count of its own changes.
// Methods reject while Redis is unavailable.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { RedisLink } from '../connection/open-redis.ts';
import { runScript } from '../connection/redis-script.ts';
import type { Change, Mark } from './limit-copy.ts';
import { encodeLimit, isLimitKey } from './limit-record.ts';
import { CHANGE_LIMIT, CHANNEL, INDEX_KEY, READ_LIMITS, STATE_KEY } from './limit-scripts.ts';

/** `text` is a record, or empty when Redis has none. */
export type LimitText = { readonly mark: Mark; readonly text: string };
export type LimitTexts = { readonly mark: Mark; readonly texts: ReadonlyMap<string, string> };
export type LimitMessage = LimitText & { readonly key: string };

/** Bounds the time that one reading blocks Redis. */
const MAX_LIMITS = 5000;

const version = z.coerce.number().int().positive();
const changeAnswer = z.tuple([z.string(), version, z.string()]);
const readAnswer = z.tuple([z.string(), version, z.array(z.string())]);
const channelMessage = z.object({
  epoch: z.string(),
  version,
  key: z.string(),
  record: z.string(),
});

export class LimitTable {
  readonly #link: RedisLink;
  readonly #skewMs: number;
  readonly #writerKey = `ai:limits:writer:${randomUUID()}`;
  #changes = 0;

  constructor(link: RedisLink, skewMs: number) {
    this.#link = link;
    this.#skewMs = skewMs;
  }

  async change(key: string, { clears, limit }: Change): Promise<LimitText> {
    this.#changes += 1;
    const keys = [key, INDEX_KEY, STATE_KEY, this.#writerKey];
    const record = limit === undefined ? '' : encodeLimit(limit);
    const resetAt = limit?.resetAt ?? 0;
    const args = [CHANNEL, this.#changes, clears ? '1' : '0', record, resetAt, this.#skewMs];
    const answer = await this.#link.runInBackground((redis) =>
      runScript(redis, CHANGE_LIMIT, keys, args),
    );
    const [epoch, version, text] = changeAnswer.parse(answer);
    return { mark: { epoch, version }, text };
  }

  /** Reads the limits in the index and the given keys, indexed or not. */
  async read(wanted: readonly string[]): Promise<LimitTexts> {
    const listed = await this.#link.runInBackground((redis) =>
      redis.zrevrange(INDEX_KEY, 0, MAX_LIMITS - 1),
    );
    const keys = [...new Set([...wanted, ...listed])].filter(isLimitKey);
    const answer = await this.#link.runInBackground((redis) =>
      runScript(redis, READ_LIMITS, [INDEX_KEY, STATE_KEY, ...keys], [CHANNEL, this.#skewMs]),
    );
    const [epoch, version, texts] = readAnswer.parse(answer);
    const found = new Map(keys.map((key, index) => [key, texts[index] ?? '']));
    return { mark: { epoch, version }, texts: found };
  }

  /** Undefined for a message in another format. */
  parseMessage(message: string): LimitMessage | undefined {
    try {
      const { epoch, version, key, record } = channelMessage.parse(JSON.parse(message));
      return { mark: { epoch, version }, key, text: record };
    } catch {
      return undefined;
    }
  }
}
