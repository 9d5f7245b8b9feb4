// Where each limit stands in Redis and what was last seen of it there. Names are made once for each limit; what has not
// been seen for longer than it could count is forgotten.

import type { Limit, LimitKind } from '../../../resilience/rate-limiter.ts';
import { KIND_CODES } from './rate-limit-script.ts';

export type ObservedLimit = {
  readonly key: string;
  readonly kindCode: number;
  /** As it was last asked about. */
  limit: Limit;
  used: number;
  /** What anybody might still take, without what is kept free for servers that are awaited. */
  remaining: number;
  /** When that was so, by Redis; 0 when it was never seen. */
  seenAt: number;
  /** Forgotten, though its limit may still be kept elsewhere. */
  isForgotten: boolean;
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
    const place = this.#named(limit);
    this.#byLimit.set(limit, place);
    return place;
  }

  /** What was seen so late that it still counts for something. */
  *seenSince(now: number): Generator<ObservedLimit> {
    for (const place of this.#byName.values())
      if (place.seenAt > 0 && place.seenAt + countsMs(place.limit) > now) yield place;
  }

  /** Those in use that nobody has asked about for so long, the longest first. */
  staleLimits(now: number, staleMs: number, most: number): Limit[] {
    const stale: ObservedLimit[] = [];
    for (const place of this.seenSince(now))
      if (place.used > 0 && place.seenAt + staleMs < now) stale.push(place);
    if (stale.length > most) stale.sort((one, other) => one.seenAt - other.seenAt);
    return stale.slice(0, most).map(({ limit }) => limit);
  }

  see(limit: Limit, used: number, remaining: number, seenAt: number): void {
    const place = this.of(limit);
    place.limit = limit;
    place.used = used;
    place.remaining = remaining;
    place.seenAt = seenAt;
    if (place.isForgotten) this.#restore(place);
  }

  forgetIdle(now: number): void {
    for (const [name, place] of this.#byName) {
      if (place.seenAt + countsMs(place.limit) > now) continue;
      place.isForgotten = true;
      this.#byName.delete(name);
    }
  }

  /** Another of its name may have come meanwhile, and then that one counts. */
  #restore(place: ObservedLimit): void {
    const name = nameOf(place.key, place.limit.kind);
    if (this.#byName.has(name)) return;
    place.isForgotten = false;
    this.#byName.set(name, place);
  }

  #named(limit: Limit): ObservedLimit {
    const key = this.#keyOf(limit);
    const name = nameOf(key, limit.kind);
    const known = this.#byName.get(name);
    if (known) return known;
    const unseen = { used: 0, remaining: limit.max, seenAt: 0, isForgotten: false };
    const place = { key, kindCode: KIND_CODES[limit.kind], limit, ...unseen };
    this.#byName.set(name, place);
    return place;
  }
}

function nameOf(key: string, kind: LimitKind): string {
  return `${key} ${kind}`;
}

const SLOTS_COUNT_MS = 60_000;

/** How long what was seen of a limit says something. */
export function countsMs({ kind, windowMs }: Limit): number {
  return kind === 'concurrent' ? SLOTS_COUNT_MS : windowMs;
}
