// Connections that have just delivered a response. A server may close a connection right after its response without
// announcing it, and a request sent before that close is read would be lost. So a connection is not reused until its
// socket has been read once more, one full turn of the event loop later. The next request uses another connection
// meanwhile, or waits microseconds.
//
// States of a connection: fresh → read again → released; removed from either when it closes.

import type { Connection } from './connection.ts';

export class Quarantine {
  readonly #onReleased: (connection: Connection) => void;
  readonly #onTurn = (): void => this.#advance();
  #fresh: Connection[] = [];
  #readAgain: Connection[] = [];
  #isScheduled = false;

  constructor(onReleased: (connection: Connection) => void) {
    this.#onReleased = onReleased;
  }

  get size(): number {
    return this.#fresh.length + this.#readAgain.length;
  }

  add(connection: Connection): void {
    this.#fresh.push(connection);
    this.#schedule();
  }

  /** The connection has closed. */
  remove(connection: Connection): void {
    for (const list of [this.#fresh, this.#readAgain]) {
      const at = list.indexOf(connection);
      if (at !== -1) list.splice(at, 1);
    }
  }

  /** Sockets are read between two calls: the first runs in the turn of the response, the second one turn later. */
  #advance(): void {
    this.#isScheduled = false;
    const released = this.#readAgain;
    this.#readAgain = this.#fresh;
    this.#fresh = [];
    if (this.#readAgain.length > 0) this.#schedule();
    for (const connection of released) this.#onReleased(connection);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#onTurn);
  }
}
