// A sliding window of calls and failures: a ring of sixty counters, each for a sixtieth of the window. Adding a call costs
// one addition. A call leaves the window up to one slot early.

export const WINDOW_SLOTS = 60;

export type CallTotals = { readonly calls: number; readonly failures: number };

export class CallWindow {
  readonly #slotMs: number;
  readonly #numbers = new Float64Array(WINDOW_SLOTS).fill(Number.NEGATIVE_INFINITY);
  readonly #calls = new Float64Array(WINDOW_SLOTS);
  readonly #failures = new Float64Array(WINDOW_SLOTS);

  constructor(windowMs: number) {
    this.#slotMs = windowMs / WINDOW_SLOTS;
  }

  add(isFailure: boolean, now: number): void {
    const number = Math.floor(now / this.#slotMs);
    const slot = number % WINDOW_SLOTS;
    if (this.#numbers[slot] !== number) {
      this.#numbers[slot] = number;
      this.#calls[slot] = 0;
      this.#failures[slot] = 0;
    }
    this.#calls[slot] = (this.#calls[slot] ?? 0) + 1;
    if (isFailure) this.#failures[slot] = (this.#failures[slot] ?? 0) + 1;
  }

  totals(now: number): CallTotals {
    const oldest = Math.floor(now / this.#slotMs) - WINDOW_SLOTS;
    let calls = 0;
    let failures = 0;
    for (const [slot, number] of this.#numbers.entries()) {
      if (number <= oldest) continue;
      calls += this.#calls[slot] ?? 0;
      failures += this.#failures[slot] ?? 0;
    }
    return { calls, failures };
  }

  clear(): void {
    this.#numbers.fill(Number.NEGATIVE_INFINITY);
  }
}
