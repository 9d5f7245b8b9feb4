// The headroom of provider limits, read from the headers of successful answers on this and other servers. To keep the
// cost of an answer low, headers of one scope are parsed at most once in 100 ms. While other servers cannot be reached,
// only the readings of this server count.

import type { Clock } from '../kernel/clock.ts';
import { circuitId } from '../resilience/circuit-key.ts';
import type { HeadroomExchange, HeadroomKey, HeadroomReading } from './headroom-exchange.ts';
import {
  type AnswerHeaders,
  type HeadroomGauges,
  hasHeadroom,
  readHeadroom,
} from './headroom-headers.ts';
import { HeadroomPace } from './headroom-pace.ts';

export type HeadroomView = {
  readonly key: HeadroomKey;
  readonly gauges: HeadroomGauges;
  /** The smallest remaining fraction of any limit, from 0 to 1. */
  readonly remainingRatio: number;
  readonly readAt: number;
  /** The forecast time of exhaustion at the current rate; undefined if the reset comes first. */
  readonly exhaustedAt: number | undefined;
};

export type Headroom = {
  /** Takes the headers of a successful answer. */
  learn(key: HeadroomKey, headers: AnswerHeaders): void;
  /** The delay of the next call that spreads the remaining headroom until the reset; nearly always 0. */
  slowDownMs(key: HeadroomKey, tokens: number, organization?: string): number;
  /** The gauges that an answer of the last minute reported for the scope. */
  gaugesOf(key: HeadroomKey): HeadroomGauges | undefined;
  /** All readings of a provider in a region, the scarcest first. */
  headroomOf(scope: Pick<HeadroomKey, 'provider' | 'region'>): readonly HeadroomView[];
  list(): readonly HeadroomView[];
  close(): Promise<void>;
};

export type HeadroomParts = { readonly clock: Clock; readonly exchange: HeadroomExchange };

const MIN_READ_INTERVAL_MS = 100;
/** Callers choose model names, so the number of scopes is bounded. */
const MAX_SCOPES = 500;
/** Older readings are dropped. */
const MAX_AGE_MS = 3_600_000;
const RECENT_MS = 60_000;

/** Resolves when the readings of other servers are known here, or cannot be read. */
export async function openHeadroom({ clock, exchange }: HeadroomParts): Promise<Headroom> {
  const headroom = new SharedHeadroom(clock, exchange);
  await exchange.subscribe((reading) => void headroom.adopt(reading));
  return headroom;
}

type Entry = { readonly key: HeadroomKey; readonly pace: HeadroomPace; readAtMs: number };

class SharedHeadroom implements Headroom {
  readonly #clock: Clock;
  readonly #exchange: HeadroomExchange;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock, exchange: HeadroomExchange) {
    this.#clock = clock;
    this.#exchange = exchange;
  }

  learn(scope: HeadroomKey, headers: AnswerHeaders): void {
    if (!hasHeadroom(headers)) return;
    const nowMs = this.#clock.monotonic();
    const known = this.#entries.get(circuitId(scope));
    if (known && nowMs - known.readAtMs < MIN_READ_INTERVAL_MS) return;
    const readAt = this.#clock.now();
    const gauges = readHeadroom(headers, readAt);
    if (!gauges) return;
    const { provider, account, region, model } = scope;
    const reading = { key: { provider, account, region, model }, gauges, readAt };
    if (this.adopt(reading)) this.#exchange.publish(reading);
  }

  /** False for a reading older than the known one, or of a scope beyond the bound. */
  adopt({ key, gauges, readAt }: HeadroomReading): boolean {
    const entry = this.#entryOf(key);
    if (!entry || readAt < entry.pace.readAt) return false;
    entry.readAtMs = this.#clock.monotonic();
    entry.pace.take(gauges, readAt);
    return true;
  }

  slowDownMs(key: HeadroomKey, tokens: number, organization?: string): number {
    // Most providers send no such headers, and no map key has to be built.
    if (this.#entries.size === 0) return 0;
    const pace = this.#entries.get(circuitId(key))?.pace;
    return pace?.slowDownMs(tokens, this.#clock.now(), organization) ?? 0;
  }

  gaugesOf(key: HeadroomKey): HeadroomGauges | undefined {
    const pace = this.#entries.get(circuitId(key))?.pace;
    return pace && this.#clock.now() - pace.readAt < RECENT_MS ? pace.gauges : undefined;
  }

  headroomOf({ provider, region }: Pick<HeadroomKey, 'provider' | 'region'>) {
    return this.list()
      .filter(({ key }) => key.provider === provider && key.region === region)
      .toSorted((one, other) => one.remainingRatio - other.remainingRatio);
  }

  list(): readonly HeadroomView[] {
    const now = this.#clock.now();
    return [...this.#entries.values()]
      .filter(({ pace }) => now - pace.readAt < MAX_AGE_MS)
      .map(({ key, pace }) => ({
        key,
        gauges: pace.gauges,
        remainingRatio: pace.remainingRatio(now),
        readAt: pace.readAt,
        exhaustedAt: pace.exhaustedAt(),
      }));
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  #entryOf(key: HeadroomKey): Entry | undefined {
    const id = circuitId(key);
    const known = this.#entries.get(id);
    if (known) return known;
    if (this.#entries.size >= MAX_SCOPES) this.#dropOld();
    if (this.#entries.size >= MAX_SCOPES) return undefined;
    const made = { key, pace: new HeadroomPace(), readAtMs: Number.NEGATIVE_INFINITY };
    this.#entries.set(id, made);
    return made;
  }

  #dropOld(): void {
    const now = this.#clock.now();
    for (const [id, { pace }] of this.#entries)
      if (now - pace.readAt >= MAX_AGE_MS) this.#entries.delete(id);
  }
}
