// What this server knows of provider limits: what it last saw of each in Redis, and what was done here that Redis has
// not answered yet; what holds follows from the two. Every call asks it and never waits. No I/O happens here: the
// adapter feeds it news and reads from it what is still to be told.
//
// A change made here is untold until Redis has answered it, or kept here when Redis holds the limit to be over, by a
// clock that differs from ours. News older than what was seen of a limit change nothing. When Redis turns out to have
// lost its data, everything that holds is untold again.

import type { ProviderLimit } from '../../../admission/provider-limits.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { limitKey } from './limit-record.ts';

/** When something was so: the numbers are comparable within one epoch of Redis's data. */
export type Mark = { readonly epoch: string; readonly version: number };

export type Change = {
  /** Whether what is there goes first; then the limit may also be an earlier one. */
  readonly clears: boolean;
  readonly limit: ProviderLimit | undefined;
  readonly isKeptHere?: true;
};

type Seen = { readonly version: number; readonly limit: ProviderLimit | undefined };

export class LimitCopy {
  readonly #clock: Clock;
  readonly #holding = new Map<string, ProviderLimit>();
  readonly #seen = new Map<string, Seen>();
  readonly #changes = new Map<string, Change>();
  #epoch: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  active(provider: string, region: string, model: string): ProviderLimit | undefined {
    // Nearly always nothing is limited, and then no key need be built.
    if (this.#holding.size === 0) return undefined;
    return this.#live(limitKey(provider, region)) ?? this.#live(limitKey(provider, region, model));
  }

  list(): ProviderLimit[] {
    return [...this.#holding.keys()].flatMap((key) => this.#live(key) ?? []);
  }

  /** Of everything that is remembered here, for Redis to be asked or told about. */
  keys(): string[] {
    // What is over is forgotten when it is looked at, and some of it nobody asks for any more.
    this.list();
    return [...new Set([...this.#holding.keys(), ...this.#seen.keys(), ...this.#changes.keys()])];
  }

  /** A limit that ends earlier than the one that holds changes nothing. */
  set(limit: ProviderLimit): void {
    const key = keyOf(limit);
    const known = this.#live(key);
    if (limit.resetAt <= this.#clock.now() || (known && known.resetAt >= limit.resetAt)) return;
    this.#changes.set(key, { clears: this.#changes.get(key)?.clears ?? false, limit });
    this.#settle(key);
  }

  clear(key: string): void {
    this.#changes.set(key, { clears: true, limit: undefined });
    this.#settle(key);
  }

  untold(key: string): Change | undefined {
    const change = this.#changes.get(key);
    return change?.isKeptHere ? undefined : change;
  }

  /** Redis has answered a change with what is there now. Meanwhile another may have been made here. */
  told(key: string, change: Change, mark: Mark, there: ProviderLimit | undefined): void {
    this.#adopt(mark.epoch);
    if (this.#changes.get(key) === change) {
      const { limit } = change;
      if (limit && !there) this.#changes.set(key, { clears: false, limit, isKeptHere: true });
      else this.#changes.delete(key);
    }
    this.learn(key, mark, there);
  }

  learn(key: string, { epoch, version }: Mark, there: ProviderLimit | undefined): void {
    this.#adopt(epoch);
    if (version >= (this.#seen.get(key)?.version ?? 0))
      this.#seen.set(key, { version, limit: there });
    this.#settle(key);
  }

  /** That a limit is gone need be remembered only until a reading as new as that has found nothing. */
  forgetGone({ version }: Mark): void {
    for (const [key, seen] of this.#seen)
      if (!seen.limit && seen.version <= version) this.#seen.delete(key);
  }

  #settle(key: string): void {
    const change = this.#changes.get(key);
    const seen = this.#seen.get(key)?.limit;
    const holds = change?.clears ? change.limit : laterOf(change?.limit, seen);
    if (holds) this.#holding.set(key, holds);
    else this.#holding.delete(key);
  }

  #adopt(epoch: string): void {
    if (epoch === this.#epoch) return;
    const isLost = this.#epoch !== undefined;
    this.#epoch = epoch;
    this.#seen.clear();
    if (!isLost) return;
    for (const limit of this.list()) {
      const key = keyOf(limit);
      const clears = this.#changes.get(key)?.clears ?? false;
      this.#changes.set(key, { clears, limit });
    }
  }

  #live(key: string): ProviderLimit | undefined {
    const limit = this.#holding.get(key);
    if (!limit || limit.resetAt > this.#clock.now()) return limit;
    this.#holding.delete(key);
    if (!this.#changes.get(key)?.clears) this.#changes.delete(key);
    return undefined;
  }
}

function keyOf({ provider, region, model }: ProviderLimit): string {
  return limitKey(provider, region, model);
}

function laterOf(
  ours: ProviderLimit | undefined,
  theirs: ProviderLimit | undefined,
): ProviderLimit | undefined {
  if (!ours || !theirs) return ours ?? theirs;
  return ours.resetAt > theirs.resetAt ? ours : theirs;
}
