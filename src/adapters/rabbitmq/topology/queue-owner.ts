// Keeps the queues of one store to its servers: a queue that belongs to another store is refused at start, and is not consumed
// when that is found out later, after the broker was unavailable at start.

import { SpillwayError } from '../../../errors/spillway-error.ts';
import type { Log } from '../../../kernel/log.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { claimQueue, recordOf } from './claim-queue.ts';

export type QueueOwnerOptions = {
  readonly storeId: string;
  /** The queues that must not be shared with another store. */
  readonly queues: readonly string[];
};

export class QueueOwner {
  readonly #connection: BrokerConnection;
  readonly #options: QueueOwnerOptions;
  readonly #log: Log;
  #isUncheckedLogged = false;

  constructor(connection: BrokerConnection, options: QueueOwnerOptions, log: Log) {
    this.#connection = connection;
    this.#options = options;
    this.#log = log;
  }

  /** The first queue that belongs to another store. */
  async findForeign(): Promise<string | undefined> {
    for (const queue of this.#options.queues) if (await this.#isForeign(queue)) return queue;
    return undefined;
  }

  /** Rejects for a queue of another store. */
  async assertOwn(queue: string): Promise<void> {
    if (!this.#options.queues.includes(queue) || !(await this.#isForeign(queue))) return;
    throw new SpillwayError(
      'INTERNAL',
      `${queue} belongs to another store: see ${recordOf(queue)}`,
    );
  }

  async #isForeign(queue: string): Promise<boolean> {
    const claim = await claimQueue(this.#connection, queue, this.#options.storeId);
    if (claim === 'unchecked' && !this.#isUncheckedLogged) {
      this.#isUncheckedLogged = true;
      const message = 'the broker does not permit to record the store of its queues';
      const metadata = { exchange: recordOf(queue) };
      this.#log.write({ level: 'warn', type: 'error', message, metadata });
    }
    return claim === 'foreign';
  }
}
