// The Redis key of each limit and the count that this server last observed there. Keys are built once per limit. An
// observation is dropped when it is older than anything it counted could be.

import type { Limit, LimitKind } from '../../../resilience/rate-limiter.ts';
import { KIND_CODES } from './rate-limit-script.ts';

export type ObservedLimit = {
  readonly key: string;
  readonly kindCode: number;
  /** The latest version of the limit. */
  limit: Limit;
  used: number;
  /** Without the shares that are reserved for awaited servers. */
  remaining: number;
  /** The time of the observation on Redis' clock; 0 before the first observation. */
  seenAt: number;
  /** When this server last decided about it by a safe share; 0 for never. */
  decidedAt: number;
  /** When this server gave that share up; 0 once the limit was observed again. */
  releasedAt: number;
  /** Dropped from the table, though a holder of the limit may still refer to it. */
  isDropped: boolean;
};

export class ObservedLimits {
  readonly #keyOf: (limit: Limit) => string;
  readonly #byLimit = new WeakMap<Limit, ObservedLimit>();
  readonly #byName = new Map<string, ObservedLimit>();

  constructor(keyOf: (limit: Limit) => string) {
    this.#keyOf = keyOf;
  }

  of(limit: Limit): ObservedLimit {
    const known = this.#byLimit.get(limit);
    if (known) return known;
    const entry = this.#named(limit);
    this.#byLimit.set(limit, entry);
    return entry;
  }

  /** Observations that are recent enough to count. */
  *recent(now: number): Generator<ObservedLimit> {
    for (const entry of this.#byName.values())
      if (entry.seenAt > 0 && entry.seenAt + countsMs(entry.limit) > now) yield entry;
  }

  /** Limits in use with an observation older than `staleMs`, the oldest first. */
  staleLimits(now: number, staleMs: number, most: number): Limit[] {
    const stale: ObservedLimit[] = [];
    for (const entry of this.recent(now))
      if (entry.used > 0 && entry.seenAt + staleMs < now) stale.push(entry);
    if (stale.length > most) stale.sort((one, other) => one.seenAt - other.seenAt);
    return stale.slice(0, most).map(({ limit }) => limit);
  }

  observe(limit: Limit, used: number, remaining: number, seenAt: number): void {
    const entry = this.of(limit);
    entry.limit = limit;
    entry.used = used;
    entry.remaining = remaining;
    entry.seenAt = seenAt;
    entry.releasedAt = 0;
    if (entry.isDropped) this.#restore(entry);
  }

  /** A safe share that began at `since` ends. Returns the limits it decided about, at most `max`. */
  release(since: number, now: number, max: number): Limit[] {
    const limits: Limit[] = [];
    for (const entry of this.#byName.values()) {
      if (entry.decidedAt < since) continue;
      entry.releasedAt = now;
      if (limits.length < max) limits.push(entry.limit);
    }
    return limits;
  }

  dropIdle(now: number): void {
    for (const [name, entry] of this.#byName) {
      if (Math.max(entry.seenAt, entry.decidedAt) + countsMs(entry.limit) > now) continue;
      entry.isDropped = true;
      this.#byName.delete(name);
    }
  }

  /** A newer entry of the same name takes precedence. */
  #restore(entry: ObservedLimit): void {
    const name = nameOf(entry.key, entry.limit.kind);
    if (this.#byName.has(name)) return;
    entry.isDropped = false;
    this.#byName.set(name, entry);
  }

  #named(limit: Limit): ObservedLimit {
    const key = this.#keyOf(limit);
    const name = nameOf(key, limit.kind);
    const known = this.#byName.get(name);
    if (known) return known;
    const unseen = {
      used: 0,
      remaining: limit.max,
      seenAt: 0,
      decidedAt: 0,
      releasedAt: 0,
      isDropped: false,
    };
    const entry = { key, kindCode: KIND_CODES[limit.kind], limit, ...unseen };
    this.#byName.set(name, entry);
    return entry;
  }
}

function nameOf(key: string, kind: LimitKind): string {
  return `${key} ${kind}`;
}

const SLOTS_COUNT_MS = 60_000;

/** How long an observation of a limit is meaningful. */
export function countsMs({ kind, windowMs }: Limit): number {
  return kind === 'concurrent' ? SLOTS_COUNT_MS : windowMs;
}
