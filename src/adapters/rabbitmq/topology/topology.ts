// The queues and exchanges that are known to exist, for the lifetime of one channel: each is declared once and remembered. A
// new channel starts with an empty memory, because a reconnect may lead to a broker that lost its data.

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { bindToLadder, declareLadder } from './declare-ladder.ts';
import { ensureQueue } from './declare-queue.ts';
import type { DelayLadder } from './delay-ladder.ts';
import { fixedDelayQueue, plainQueue, type QueueType } from './queue-definition.ts';

export type TopologySettings = {
  readonly queueType: QueueType;
  readonly ladderName: string;
  /** Called for a queue that did not exist: its earlier messages are gone. */
  readonly onDeclared: (queue: string) => void;
};

type Known = { readonly declaring: Promise<void>; isDeclared: boolean };

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

  /** Whether a queue exists; for a fixed-delay queue, also its target. */
  isKnown(queue: string): boolean {
    return this.#known.get(queue)?.isDeclared === true;
  }

  /** The ladder's entry exchange, if the ladder and the queue's binding are known to exist. */
  knownEntryTo(queue: string): string | undefined {
    return this.isKnown(delayedKey(queue)) ? this.#entry : undefined;
  }

  queue(name: string): Promise<void> {
    return this.#once(name, async () => {
      const definition = plainQueue(name, this.#settings.queueType);
      if ((await ensureQueue(this.#connection, definition)) === 'declared')
        this.#settings.onDeclared(name);
    });
  }

  /** Declares queue, ladder and binding; resolves to the ladder's entry exchange. */
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

  /** Declares the fixed-delay queue and its target. */
  fixedDelay(name: string, delayMs: number): Promise<void> {
    const definition = fixedDelayQueue(name, delayMs, this.#settings.queueType);
    return this.#once(definition.queue, async () => {
      await this.queue(name);
      await ensureQueue(this.#connection, definition);
    });
  }

  /** Called when a message was returned: its queue or the ladder was deleted, so everything is declared again. */
  forget(): void {
    this.#known.clear();
    this.#ladder = undefined;
  }

  #once(key: string, declare: () => Promise<void>): Promise<void> {
    const before = this.#known.get(key);
    if (before) return before.declaring;
    const declaring = declare().then(
      () => {
        known.isDeclared = true;
      },
      (cause) => {
        this.#known.delete(key);
        throw cause;
      },
    );
    const known: Known = { declaring, isDeclared: false };
    this.#known.set(key, known);
    return declaring;
  }
}

function delayedKey(queue: string): string {
  return `delayed ${queue}`;
}
