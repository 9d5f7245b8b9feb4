// A sliding window of calls and failures: a ring of counters (usually sixty), each for an equal part of the window.
// Adding a call costs one addition. A call leaves the window up to one slot early.

export const WINDOW_SLOTS = 60;

export type CallTotals = { readonly calls: number; readonly failures: number };

export class CallWindow {
  readonly #slots: number;
  readonly #slotMs: number;
  readonly #numbers: Float64Array;
  readonly #calls: Float64Array;
  readonly #failures: Float64Array;

  constructor(windowMs: number, slots = WINDOW_SLOTS) {
    this.#slots = slots;
    this.#slotMs = windowMs / slots;
    this.#numbers = new Float64Array(slots).fill(Number.NEGATIVE_INFINITY);
    this.#calls = new Float64Array(slots);
    this.#failures = new Float64Array(slots);
  }

  add(isFailure: boolean, now: number): void {
    this.addAll(1, isFailure ? 1 : 0, now);
  }

  addAll(calls: number, failures: number, now: number): void {
    const number = Math.floor(now / this.#slotMs);
    const slot = number % this.#slots;
    if (this.#numbers[slot] !== number) {
      this.#numbers[slot] = number;
      this.#calls[slot] = 0;
      this.#failures[slot] = 0;
    }
    this.#calls[slot] = (this.#calls[slot] ?? 0) + calls;
    if (failures > 0) this.#failures[slot] = (this.#failures[slot] ?? 0) + failures;
  }

  totals(now: number): CallTotals {
    const oldest = Math.floor(now / this.#slotMs) - this.#slots;
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
