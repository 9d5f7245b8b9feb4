// Bounds the number of requests that this server serves at once. A request beyond the bound is refused immediately:
// queueing it would slow down all others. Calls that hang keep their slots for minutes, so that one organisation could take
// all of them: a quarter on top of the bound is reserved for organisations that hold few. A server that drains grants no slot.

import { SpillwayError } from '../../errors/spillway-error.ts';

const RETRY_AFTER_MS = 1000;
const RESERVE_SHARE = 0.25;
/** An organisation takes reserved slots while it holds less than this share of them. */
const FEW_SHARE = 0.25;

/** The requests that are served at once when the reserved slots are in use too. */
export function withReserve(max: number): number {
  return max + Math.ceil(max * RESERVE_SHARE);
}

export class RequestSlots {
  readonly #max: number;
  readonly #reserve: number;
  readonly #held = new Map<string, number>();
  #used = 0;
  #isPaused = false;

  constructor(max: number) {
    this.#max = max;
    this.#reserve = withReserve(max) - max;
  }

  get max(): number {
    return this.#max;
  }

  /** Grants no slot until `resume`; requests in progress keep theirs. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  get used(): number {
    return this.#used;
  }

  /** Throws CAPACITY_EXHAUSTED when all slots are in use or the server drains. Release each acquired slot once. */
  acquire(organization: string): void {
    if (this.#isPaused)
      throw new SpillwayError('CAPACITY_EXHAUSTED', 'server is draining', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    const held = this.#held.get(organization) ?? 0;
    if (this.#used >= this.#max && !this.#mayUseReserve(held)) {
      throw new SpillwayError('CAPACITY_EXHAUSTED', 'server is at its concurrent-request limit', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    this.#used += 1;
    this.#held.set(organization, held + 1);
  }

  release(organization: string): void {
    this.#used -= 1;
    const held = this.#held.get(organization) ?? 0;
    if (held > 1) this.#held.set(organization, held - 1);
    else this.#held.delete(organization);
  }

  #mayUseReserve(held: number): boolean {
    return this.#used < this.#max + this.#reserve && held < this.#reserve * FEW_SHARE;
  }
}
