// Connections that have just carried an answer. A server may end a connection right behind its answer without having said
// so, and a request that is sent before that is read is lost. So a connection rests until its socket has been read once
// more: a whole turn of the event loop, which costs its next request nothing when there is another connection, and
// microseconds when there is not.
//
// States of one: fresh → read once more → handed over; forgotten from any.

import type { Connection } from './connection.ts';

export class RestingConnections {
  readonly #onRested: (connection: Connection) => void;
  readonly #turn = (): void => this.#passTurn();
  #fresh: Connection[] = [];
  #readOnceMore: Connection[] = [];
  #isTurning = false;

  constructor(onRested: (connection: Connection) => void) {
    this.#onRested = onRested;
  }

  get size(): number {
    return this.#fresh.length + this.#readOnceMore.length;
  }

  add(connection: Connection): void {
    this.#fresh.push(connection);
    this.#awaitTurn();
  }

  /** It is over. */
  forget(connection: Connection): void {
    for (const list of [this.#fresh, this.#readOnceMore]) {
      const at = list.indexOf(connection);
      if (at !== -1) list.splice(at, 1);
    }
  }

  /** Sockets are read between two of these: the first comes in the turn of the answer, the second one turn later. */
  #passTurn(): void {
    this.#isTurning = false;
    const rested = this.#readOnceMore;
    this.#readOnceMore = this.#fresh;
    this.#fresh = [];
    if (this.#readOnceMore.length > 0) this.#awaitTurn();
    for (const connection of rested) this.#onRested(connection);
  }

  #awaitTurn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(this.#turn);
  }
}
