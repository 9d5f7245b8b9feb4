// Bounds the work of one consumer. At most `running` items hold a slot; at most `finishing` more have given theirs back
// and still store their result, so that slow storage does not keep a provider idle and does not pile up either. It only
// counts: the consumer decides which item starts next.
// States of a slot: running → finishing → released; running → released.

export type RunSlot = {
  /** Gives the slot to the next item; this one still counts as finishing. Idempotent. */
  startFinishing(): void;
  /** Idempotent. */
  release(): void;
};

export class RunSlots {
  readonly #maxRunning: number;
  readonly #maxUnfinished: number;
  #running = 0;
  #unfinished = 0;

  constructor(maxRunning: number, maxFinishing: number) {
    this.#maxRunning = maxRunning;
    this.#maxUnfinished = maxRunning + maxFinishing;
  }

  /** The number of items that may start now. */
  get free(): number {
    return Math.min(this.#maxRunning - this.#running, this.#maxUnfinished - this.#unfinished);
  }

  acquire(): RunSlot {
    this.#running += 1;
    this.#unfinished += 1;
    let state: 'running' | 'finishing' | 'released' = 'running';
    return {
      startFinishing: () => {
        if (state !== 'running') return;
        state = 'finishing';
        this.#running -= 1;
      },
      release: () => {
        if (state === 'released') return;
        if (state === 'running') this.#running -= 1;
        state = 'released';
        this.#unfinished -= 1;
      },
    };
  }
}
