// A first-in, first-out mutex for the one SQLite connection. It keeps the statements of an asynchronous transaction from
// interleaving with others.

export class ConnectionMutex {
  #isLocked = false;
  readonly #waiting: (() => void)[] = [];

  /** Acquires the mutex if it is free; otherwise returns false. */
  tryAcquire(): boolean {
    if (this.#isLocked) return false;
    this.#isLocked = true;
    return true;
  }

  async acquire(): Promise<void> {
    if (this.tryAcquire()) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the mutex to the next waiter without unlocking it in between. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isLocked = false;
  }
}
