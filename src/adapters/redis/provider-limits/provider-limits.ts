// Provider limits that all servers on one Redis know. Reading is from a copy in the process. What is learnt here is
// written to Redis, which announces it to the others in the same step; what is missed (a message, a connection, an
// operator's own hand in Redis) is found by reading everything when a connection is new and every few seconds.
// While Redis is away a limit holds here at once and is told when it is back; `set` and `clear` then resolve, because
// it will be told without anybody's doing.

import type { ProviderLimit, ProviderLimits } from '../../../admission/provider-limits.ts';
import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { LimitCopy } from './limit-copy.ts';
import { decodeLimit, type LimitPlace, limitKey } from './limit-record.ts';
import { CHANNEL } from './limit-scripts.ts';
import { LimitTable } from './limit-table.ts';

export type ProviderLimitsParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  /** Where an operator may have put a limit by hand: looked at even when no index names them. */
  readonly places: readonly LimitPlace[];
  /** How long a record outlives its limit, for servers whose clocks differ. */
  readonly skewMs: number;
  readonly refreshMs?: number;
};

const REFRESH_MS = 5000;
/** A change that fails this often waits for the next refresh. */
const MAX_TRIES = 3;

/** Resolves when what Redis knows is known here, or when Redis is away. */
export async function openProviderLimits(parts: ProviderLimitsParts): Promise<ProviderLimits> {
  const limits = new SharedLimits(parts);
  await limits.open();
  return limits;
}

class SharedLimits implements ProviderLimits {
  readonly #parts: ProviderLimitsParts;
  readonly #copy: LimitCopy;
  readonly #table: LimitTable;
  readonly #telling = new Map<string, Promise<void>>();
  #reading: Promise<void> | undefined;
  #mustReadAgain = false;
  #cancelRefresh: CancelTimer | undefined;
  #isClosed = false;

  constructor(parts: ProviderLimitsParts) {
    this.#parts = parts;
    this.#copy = new LimitCopy(parts.clock);
    this.#table = new LimitTable(parts.link, parts.skewMs);
  }

  async open(): Promise<void> {
    const { link } = this.#parts;
    link.onUp(() => void this.#refresh());
    await link.subscribe(CHANNEL, {
      hear: (message) => this.#hear(message),
      begin: () => void this.#refresh(),
    });
    await this.#refresh();
  }

  active(provider: string, region: string, model: string): ProviderLimit | undefined {
    return this.#copy.active(provider, region, model);
  }

  async set(limit: ProviderLimit): Promise<void> {
    this.#copy.set(limit);
    await this.#tell(limitKey(limit.provider, limit.region, limit.model));
  }

  async clear(provider: string, region: string, model?: string): Promise<void> {
    const key = limitKey(provider, region, model);
    this.#copy.clear(key);
    await this.#tell(key);
  }

  async list(): Promise<readonly ProviderLimit[]> {
    return this.#copy.list();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRefresh?.();
    await Promise.all([this.#reading, ...this.#telling.values()]);
  }

  /** One at a time for each limit: a burst of refusals, each a little later, becomes a few writes and not a storm. */
  #tell(key: string): Promise<void> {
    const running = this.#telling.get(key);
    if (running) return running;
    if (!this.#copy.untold(key)) return Promise.resolve();
    const telling = Promise.resolve().then(() => this.#tellAllOf(key));
    this.#telling.set(key, telling);
    return telling;
  }

  async #tellAllOf(key: string): Promise<void> {
    const { link } = this.#parts;
    let failures = 0;
    for (let change = this.#copy.untold(key); change; change = this.#copy.untold(key)) {
      if (!link.isUp() || failures === MAX_TRIES) break;
      try {
        const { mark, text } = await this.#table.change(key, change);
        this.#copy.told(key, change, mark, decodeLimit(key, text));
      } catch {
        failures += 1;
      }
    }
    this.#telling.delete(key);
  }

  async #tellEverything(): Promise<void> {
    await Promise.all(this.#copy.keys().map((key) => this.#tell(key)));
  }

  #hear(message: string): void {
    const news = this.#table.parseNews(message);
    if (!news || this.#isClosed) return;
    this.#copy.learn(news.key, news.mark, decodeLimit(news.key, news.text));
    // The news may be of another epoch than ours: then Redis has lost what is known here.
    void this.#tellEverything();
  }

  #refresh(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#mustReadAgain = true;
    this.#reading ??= Promise.resolve().then(() => this.#readAll());
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    const { link, clock, refreshMs = REFRESH_MS } = this.#parts;
    this.#cancelRefresh?.();
    while (this.#mustReadAgain && link.isUp() && !this.#isClosed) {
      this.#mustReadAgain = false;
      await this.#read();
    }
    this.#reading = undefined;
    if (this.#isClosed) return;
    // Servers that started together do not ask together for ever.
    const delayMs = refreshMs * (0.8 + 0.4 * clock.random());
    this.#cancelRefresh = clock.after(delayMs, () => void this.#refresh());
  }

  async #read(): Promise<void> {
    const places = this.#parts.places.map((place) =>
      limitKey(place.provider, place.region, place.model),
    );
    try {
      const { mark, texts } = await this.#table.read([...places, ...this.#copy.keys()]);
      for (const [key, text] of texts) this.#copy.learn(key, mark, decodeLimit(key, text));
      this.#copy.forgetGone(mark);
      await this.#tellEverything();
    } catch {
      // Read again when Redis is back, or when the next refresh is due.
    }
  }
}
