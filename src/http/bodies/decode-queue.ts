// Bounds the bodies that are decompressed at once. Each may grow to the body limit before its quota knows its size, so a
// flood of small compressed bodies would otherwise inflate all of them side by side. More would not be faster either:
// Node decompresses on four threads.

const MAX_RUNNING = 4;

export class DecodeQueue {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** Starts the task when it is its turn; the task calls `release` once, at its end. */
  run(task: (release: () => void) => void): void {
    if (this.#running >= MAX_RUNNING) return void this.#waiting.push(() => this.run(task));
    this.#running += 1;
    task(() => this.#release());
  }

  #release(): void {
    this.#running -= 1;
    this.#waiting.shift()?.();
  }
}
