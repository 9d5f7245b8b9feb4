// Commands on their way to Redis that no caller awaits. A failure is dropped here: each user of this class repairs it with
// its next command. Closing waits for all of them.

export class InFlight {
  readonly #running = new Set<Promise<void>>();

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** The returned promise never rejects. */
  track(work: Promise<void>): Promise<void> {
    const tracked = work
      .catch(() => {})
      .finally(() => {
        this.#running.delete(tracked);
      });
    this.#running.add(tracked);
    return tracked;
  }

  /** Resolves when the commands that are running now have ended. */
  async drained(): Promise<void> {
    await Promise.all(this.#running);
  }
}
