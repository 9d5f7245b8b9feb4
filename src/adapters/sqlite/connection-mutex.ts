// One holder at a time, in the order of asking. It is what keeps an asynchronous transaction on the one
// SQLite connection from being interleaved with anyone else's statements.

export class ConnectionMutex {
  #isHeld = false;
  readonly #waiting: (() => void)[] = [];

  /** Takes it at once when it is free; false when somebody holds it. */
  tryAcquire(): boolean {
    if (this.#isHeld) return false;
    this.#isHeld = true;
    return true;
  }

  async acquire(): Promise<void> {
    if (this.tryAcquire()) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Hands it to the next in line without ever being free in between. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isHeld = false;
  }
}
