// Bounds the work of one consumer. At most `running` items hold a slot; at most `finishing` more have returned their
// slot and still store their result, so that slow storage neither keeps a provider idle nor lets items pile up. This
// class only counts: the consumer decides which item starts next. An item that waits for a third party is set aside: it
// holds no slot, counts towards no bound, and takes the next free slot before a new item does. States of a slot:
// running ⇄ aside, running → finishing → released; running or aside → released.

export type RunSlot = {
  /** Gives the slot to the next item; this one still counts as finishing. Idempotent. */
  startFinishing(): void;
  /** Gives the slot to the next item until `resume`. */
  setAside(): void;
  /** Resolves when this item has a slot again, immediately if it was not set aside. */
  resume(): Promise<void>;
  /** Idempotent. */
  release(): void;
};

type SlotState = 'running' | 'aside' | 'finishing' | 'released';

export class RunSlots {
  readonly #maxRunning: number;
  readonly #maxUnfinished: number;
  #running = 0;
  #unfinished = 0;
  readonly #resuming: (() => void)[] = [];

  constructor(maxRunning: number, maxFinishing: number) {
    this.#maxRunning = maxRunning;
    this.#maxUnfinished = maxRunning + maxFinishing;
  }

  /** The number of items that may start now. */
  get free(): number {
    return this.#resuming.length > 0 ? 0 : this.#unused;
  }

  get #unused(): number {
    return Math.min(this.#maxRunning - this.#running, this.#maxUnfinished - this.#unfinished);
  }

  acquire(): RunSlot {
    this.#count(1, 1);
    let state: SlotState = 'running';
    const isReleased = () => state === 'released';
    return {
      startFinishing: () => {
        if (state !== 'running') return;
        state = 'finishing';
        this.#count(-1, 0);
      },
      setAside: () => {
        if (state !== 'running') return;
        state = 'aside';
        this.#count(-1, -1);
      },
      resume: async () => {
        if (state !== 'aside') return;
        await this.#acquireFirst();
        // Released while it waited: the slot goes to the next item.
        if (isReleased()) this.#count(-1, -1);
        else state = 'running';
      },
      release: () => {
        if (state === 'running') this.#count(-1, -1);
        if (state === 'finishing') this.#count(0, -1);
        state = 'released';
      },
    };
  }

  #acquireFirst(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resuming.push(resolve);
    this.#count(0, 0);
    return promise;
  }

  #count(running: number, unfinished: number): void {
    this.#running += running;
    this.#unfinished += unfinished;
    while (this.#unused > 0) {
      const resume = this.#resuming.shift();
      if (!resume) return;
      this.#running += 1;
      this.#unfinished += 1;
      resume();
    }
  }
}
