// Divides long work into turns of the event loop. Parsing, writing and storing thirty megabytes takes a tenth of a second each;
// without a pause in between, other requests wait for the sum. Steps of many requests wait for each other: if all of them ran in the
// next turn, it would be as long as their sum.

/** Resumes waiting work in the order of its arrival, at most `perTurn` in one turn of the event loop. */
export class TurnQueue {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  readonly #onTurn = (): void => this.#advance();

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Calls `resume` in a later turn of the event loop. */
  wait(resume: () => void): void {
    this.#waiting.push(resume);
    if (this.#waiting.length === 1) setImmediate(this.#onTurn);
  }

  /** Resolves in a later turn of the event loop. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.wait(resolve));
  }

  #advance(): void {
    const resumed = this.#waiting.slice(0, this.#perTurn);
    for (const resume of resumed) resume();
    this.#waiting.splice(0, resumed.length);
    if (this.#waiting.length > 0) setImmediate(this.#onTurn);
  }
}

/** Below this size a step takes a few milliseconds. */
export const LARGE_TEXT_BYTES = 2 ** 20;

/** The event loop is one for the process, and so are the turns of long steps. */
const LARGE_STEPS = new TurnQueue(1);

/** Resolves in a later turn of the event loop, which no other long step has, after a step on `bytes` bytes; undefined if it was short. */
export function turnAfter(bytes: number): Promise<void> | undefined {
  return bytes < LARGE_TEXT_BYTES ? undefined : LARGE_STEPS.turn();
}
