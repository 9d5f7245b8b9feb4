// Remembers the nonces of accepted calls for as long as their signatures are valid, so that none is accepted twice. Two
// sets take turns: after each lifetime the older one is dropped whole, which costs nothing per nonce. Only calls with a
// valid signature are remembered, so that only servers of the cluster can fill the sets.

import type { Clock } from '../../kernel/clock.ts';
import { MAX_AGE_SECONDS } from './call-signature.ts';

/** A signature is valid this long before and after its time. */
const LIFETIME_MS = 2 * MAX_AGE_SECONDS * 1000;
const MAX_NONCES = 500_000;

export class SeenNonces {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #current = new Set<string>();
  #previous = new Set<string>();
  #turnsAtMs: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#turnsAtMs = clock.monotonic() + LIFETIME_MS;
  }

  /** False for a nonce that was added before, and while the memory is full. */
  add(nonce: string): boolean {
    this.#turn();
    if (this.#current.has(nonce) || this.#previous.has(nonce)) return false;
    if (this.#current.size >= MAX_NONCES) return false;
    this.#current.add(nonce);
    return true;
  }

  get size(): number {
    return this.#current.size + this.#previous.size;
  }

  #turn(): void {
    const now = this.#clock.monotonic();
    if (now < this.#turnsAtMs) return;
    const isLongAgo = now >= this.#turnsAtMs + LIFETIME_MS;
    this.#previous = isLongAgo ? new Set() : this.#current;
    this.#current = new Set();
    this.#turnsAtMs = now + LIFETIME_MS;
  }
}
