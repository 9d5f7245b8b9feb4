// What is known to be there, for as long as one channel lives: a queue is asked for once and then remembered. A
// channel that is lost takes the memory with it, so that after a reconnect, to a broker that may have been wiped,
// everything is looked for again.

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { bindToLadder, declareLadder } from './declare-ladder.ts';
import { ensureQueue } from './declare-queue.ts';
import type { DelayLadder } from './delay-ladder.ts';
import { fixedDelayQueue, plainQueue, type QueueType } from './queue-definition.ts';

export type TopologySettings = {
  readonly queueType: QueueType;
  readonly ladderName: string;
  /** Told of a queue that was not there: whatever had been on it is gone. */
  readonly onMade: (queue: string) => void;
};

type Known = { readonly making: Promise<void>; isThere: boolean };

export class Topology {
  readonly #connection: BrokerConnection;
  readonly #settings: TopologySettings;
  readonly #known = new Map<string, Known>();
  #ladder: Promise<DelayLadder> | undefined;
  #entry: string | undefined;

  constructor(connection: BrokerConnection, settings: TopologySettings) {
    this.#connection = connection;
    this.#settings = settings;
  }

  /** Whether a queue was found or made, one for a fixed delay with the one that it leads to. */
  isKnown(queue: string): boolean {
    return this.#known.get(queue)?.isThere === true;
  }

  /** Where delayed messages for the queue go in, if all that they pass is known. */
  knownEntryTo(queue: string): string | undefined {
    return this.isKnown(delayedKey(queue)) ? this.#entry : undefined;
  }

  queue(name: string): Promise<void> {
    return this.#once(name, async () => {
      const definition = plainQueue(name, this.#settings.queueType);
      if ((await ensureQueue(this.#connection, definition)) === 'made') this.#settings.onMade(name);
    });
  }

  /** The queue, the ladder, and the way from one to the other; resolves to where delayed messages go in. */
  async delayed(name: string): Promise<string> {
    const ladder = await this.ladder();
    await this.#once(delayedKey(name), async () => {
      await this.queue(name);
      await bindToLadder(this.#connection, ladder, name);
      this.#entry = ladder.entry;
    });
    return ladder.entry;
  }

  ladder(): Promise<DelayLadder> {
    this.#ladder ??= declareLadder(this.#connection, this.#settings.ladderName).catch((cause) => {
      this.#ladder = undefined;
      throw cause;
    });
    return this.#ladder;
  }

  /** The queue for a fixed delay and the one that it leads to. */
  fixedDelay(name: string, delayMs: number): Promise<void> {
    const definition = fixedDelayQueue(name, delayMs, this.#settings.queueType);
    return this.#once(definition.queue, async () => {
      await this.queue(name);
      await ensureQueue(this.#connection, definition);
    });
  }

  /** Everything is looked for again: a message came back because its queue is gone, or the ladder. */
  forget(): void {
    this.#known.clear();
    this.#ladder = undefined;
  }

  #once(key: string, make: () => Promise<void>): Promise<void> {
    const before = this.#known.get(key);
    if (before) return before.making;
    const making = make().then(
      () => {
        known.isThere = true;
      },
      (cause) => {
        this.#known.delete(key);
        throw cause;
      },
    );
    const known: Known = { making, isThere: false };
    this.#known.set(key, known);
    return making;
  }
}

function delayedKey(queue: string): string {
  return `delayed ${queue}`;
}
