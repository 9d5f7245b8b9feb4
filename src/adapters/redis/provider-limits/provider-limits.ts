// Provider limits shared by all servers on one Redis. Calls read a copy in the process. A limit learnt here is written to
// Redis, which publishes it to the other servers in the same step. A full reading on every new connection and every few
// seconds repairs lost messages and finds records that an operator wrote. While Redis is unavailable a limit applies here at
// once and is written on reconnection; `set` and `clear` resolve without waiting for that.

import type { ProviderLimit, ProviderLimits } from '../../../admission/provider-limits.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { every, type Repetition } from '../../../kernel/every.ts';
import type { CircuitKey } from '../../../resilience/circuit-key.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { LimitCopy } from './limit-copy.ts';
import { decodeLimit, limitKey } from './limit-record.ts';
import { CHANNEL } from './limit-scripts.ts';
import { LimitTable } from './limit-table.ts';

export type ProviderLimitsParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  /** Scopes where an operator may write a limit by hand: read even when the index does not name them. */
  readonly scopes: readonly CircuitKey[];
  /** How long a record outlives its limit, because the servers' clocks differ. */
  readonly skewMs: number;
  readonly refreshMs?: number;
};

const REFRESH_MS = 5000;
/** After this many failures a change waits for the next refresh. */
const MAX_TRIES = 3;

/** Resolves when the limits in Redis are known here, or when Redis is unavailable. */
export async function openProviderLimits(parts: ProviderLimitsParts): Promise<ProviderLimits> {
  const limits = new SharedLimits(parts);
  await limits.open();
  return limits;
}

class SharedLimits implements ProviderLimits {
  readonly #parts: ProviderLimitsParts;
  readonly #copy: LimitCopy;
  readonly #table: LimitTable;
  readonly #sending = new Map<string, Promise<void>>();
  readonly #refreshing: Repetition;
  #mustRead = false;
  #isClosed = false;

  constructor(parts: ProviderLimitsParts) {
    this.#parts = parts;
    this.#copy = new LimitCopy(parts.clock);
    this.#table = new LimitTable(parts.link, parts.skewMs);
    const { clock, refreshMs = REFRESH_MS } = parts;
    // Jitter keeps servers that started together from reading together.
    const intervalMs = () => refreshMs * (0.8 + 0.4 * clock.random());
    this.#refreshing = every(clock, intervalMs, () => this.#readAll());
  }

  async open(): Promise<void> {
    const { link } = this.#parts;
    link.onUp(() => void this.#refresh());
    await link.subscribe(CHANNEL, {
      onMessage: (message) => this.#onMessage(message),
      onSubscribed: () => void this.#refresh(),
    });
    await this.#refresh();
  }

  active(call: CircuitKey): ProviderLimit | undefined {
    return this.#copy.active(call);
  }

  async set(limit: ProviderLimit): Promise<void> {
    this.#copy.set(limit);
    await this.#send(limitKey(limit));
  }

  async clear(key: CircuitKey): Promise<void> {
    const redisKey = limitKey(key);
    this.#copy.clear(redisKey);
    await this.#send(redisKey);
  }

  async list(): Promise<readonly ProviderLimit[]> {
    return this.#copy.list();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#refreshing.close();
    await Promise.all(this.#sending.values());
  }

  /** One write at a time per limit: a burst of refusals with slightly later ends becomes a few writes. */
  #send(key: string): Promise<void> {
    const running = this.#sending.get(key);
    if (running) return running;
    if (!this.#copy.pending(key)) return Promise.resolve();
    const sending = Promise.resolve().then(() => this.#sendPending(key));
    this.#sending.set(key, sending);
    return sending;
  }

  async #sendPending(key: string): Promise<void> {
    const { link } = this.#parts;
    let failures = 0;
    for (let change = this.#copy.pending(key); change; change = this.#copy.pending(key)) {
      if (!link.isUp() || failures === MAX_TRIES) break;
      try {
        const { mark, text } = await this.#table.change(key, change);
        this.#copy.confirm(key, change, mark, decodeLimit(key, text));
      } catch {
        failures += 1;
      }
    }
    this.#sending.delete(key);
  }

  async #sendAll(): Promise<void> {
    await Promise.all(this.#copy.keys().map((key) => this.#send(key)));
  }

  #onMessage(message: string): void {
    const change = this.#table.parseMessage(message);
    if (!change || this.#isClosed) return;
    this.#copy.learn(change.key, change.mark, decodeLimit(change.key, change.text));
    // A message of a new epoch means that Redis has lost its data: the copy's limits are pending again.
    void this.#sendAll();
  }

  /** A refresh that is requested during a reading makes it read again. */
  #refresh(): Promise<void> {
    this.#mustRead = true;
    return this.#refreshing.runNow();
  }

  async #readAll(): Promise<void> {
    do {
      this.#mustRead = false;
      await this.#read();
    } while (this.#mustRead && this.#parts.link.isUp() && !this.#isClosed);
  }

  async #read(): Promise<void> {
    if (!this.#parts.link.isUp()) return;
    const configured = this.#parts.scopes.map(limitKey);
    try {
      const { mark, texts } = await this.#table.read([...configured, ...this.#copy.keys()]);
      for (const [key, text] of texts) this.#copy.learn(key, mark, decodeLimit(key, text));
      this.#copy.dropTombstones(mark);
      await this.#sendAll();
    } catch {
      // The next refresh reads again.
    }
  }
}
