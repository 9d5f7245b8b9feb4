// This server's copy of the provider limits: the last state seen in Redis, and the changes made here that Redis has not
// confirmed. The limit in force follows from the two. Every call reads the copy synchronously. There is no I/O here: the
// adapter feeds it messages and sends its pending changes.
//
// A change is pending until Redis confirms it. If Redis takes the limit to be over already, by a clock that differs from
// ours, the limit stays local. A message older than the last seen version changes nothing. When Redis has lost its data,
// every limit in force is pending again.

import type { ProviderLimit } from '../../../admission/provider-limits.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { accountCircuit, type CircuitKey } from '../../../resilience/circuit-key.ts';
import { limitKey } from './limit-record.ts';

/** The time of an observation; versions are comparable within one epoch of Redis' data. */
export type Mark = { readonly epoch: string; readonly version: number };

export type Change = {
  /** Whether the change first deletes the record in Redis, so that the new limit may end earlier. */
  readonly clears: boolean;
  readonly limit: ProviderLimit | undefined;
  /** Redis took the limit to be over: nothing is left to send. */
  readonly isLocal?: true;
};

type Seen = { readonly version: number; readonly limit: ProviderLimit | undefined };

export class LimitCopy {
  readonly #clock: Clock;
  readonly #inForce = new Map<string, ProviderLimit>();
  readonly #seen = new Map<string, Seen>();
  readonly #changes = new Map<string, Change>();
  #epoch: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  active(call: CircuitKey): ProviderLimit | undefined {
    // Usually no limit is in force: then no key has to be built.
    if (this.#inForce.size === 0) return undefined;
    return this.#live(limitKey(accountCircuit(call))) ?? this.#live(limitKey(call));
  }

  list(): ProviderLimit[] {
    return [...this.#inForce.keys()].flatMap((key) => this.#live(key) ?? []);
  }

  /** The keys of all limits that this copy has any record of. */
  keys(): string[] {
    // Reading drops expired limits; calls may have stopped reading some of them.
    this.list();
    return [...new Set([...this.#inForce.keys(), ...this.#seen.keys(), ...this.#changes.keys()])];
  }

  /** A limit that ends earlier than the one in force changes nothing. */
  set(limit: ProviderLimit): void {
    const key = limitKey(limit);
    const known = this.#live(key);
    if (limit.resetAt <= this.#clock.now() || (known && known.resetAt >= limit.resetAt)) return;
    this.#changes.set(key, { clears: this.#changes.get(key)?.clears ?? false, limit });
    this.#settle(key);
  }

  clear(key: string): void {
    this.#changes.set(key, { clears: true, limit: undefined });
    this.#settle(key);
  }

  pending(key: string): Change | undefined {
    const change = this.#changes.get(key);
    return change?.isLocal ? undefined : change;
  }

  /** Redis answered a change with its current record. A newer change made here meanwhile stays pending. */
  confirm(key: string, change: Change, mark: Mark, there: ProviderLimit | undefined): void {
    this.#adopt(mark.epoch);
    if (this.#changes.get(key) === change) {
      const { limit } = change;
      if (limit && !there) this.#changes.set(key, { clears: false, limit, isLocal: true });
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

  /** A tombstone is needed only until a full reading of at least its version has found no record. */
  dropTombstones({ version }: Mark): void {
    for (const [key, seen] of this.#seen)
      if (!seen.limit && seen.version <= version) this.#seen.delete(key);
  }

  #settle(key: string): void {
    const change = this.#changes.get(key);
    const seen = this.#seen.get(key)?.limit;
    const inForce = change?.clears ? change.limit : laterOf(change?.limit, seen);
    if (inForce) this.#inForce.set(key, inForce);
    else this.#inForce.delete(key);
  }

  #adopt(epoch: string): void {
    if (epoch === this.#epoch) return;
    const isLost = this.#epoch !== undefined;
    this.#epoch = epoch;
    this.#seen.clear();
    if (!isLost) return;
    for (const limit of this.list()) {
      const key = limitKey(limit);
      const clears = this.#changes.get(key)?.clears ?? false;
      this.#changes.set(key, { clears, limit });
    }
  }

  #live(key: string): ProviderLimit | undefined {
    const limit = this.#inForce.get(key);
    if (!limit || limit.resetAt > this.#clock.now()) return limit;
    this.#inForce.delete(key);
    if (!this.#changes.get(key)?.clears) this.#changes.delete(key);
    return undefined;
  }
}

function laterOf(
  ours: ProviderLimit | undefined,
  theirs: ProviderLimit | undefined,
): ProviderLimit | undefined {
  if (!ours || !theirs) return ours ?? theirs;
  return ours.resetAt > theirs.resetAt ? ours : theirs;
}
