// Shares the event loop between the connections of large answers. libuv reads up to two megabytes of one socket before it
// serves another: a few hundred fast streams would block the process for seconds. A connection that has read a large piece pauses
// and reads its next one when it is its turn, even if its caller has taken the bytes before.

const RESUMED_PER_TURN = 4;

export class ReadTurns {
  readonly #waiting: (() => void)[] = [];
  readonly #onTurn = (): void => this.#advance();

  /** Calls `resume` in a later turn of the event loop, in the order of the calls. */
  wait(resume: () => void): void {
    this.#waiting.push(resume);
    if (this.#waiting.length === 1) setImmediate(this.#onTurn);
  }

  #advance(): void {
    const resumed = this.#waiting.slice(0, RESUMED_PER_TURN);
    for (const resume of resumed) resume();
    this.#waiting.splice(0, resumed.length);
    if (this.#waiting.length > 0) setImmediate(this.#onTurn);
  }
}
