// The most events that ever fell into one sliding window. Each arrival looks back from itself, which finds
// every fullest window, since one always ends at an arrival.

export class PeakWindow {
  readonly #windowMs: number;
  #times: number[] = [];
  #start = 0;
  #most = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Times must not go back. */
  add(time: number): void {
    this.#times.push(time);
    while ((this.#times[this.#start] ?? time) <= time - this.#windowMs) this.#start += 1;
    this.#most = Math.max(this.#most, this.#times.length - this.#start);
    if (this.#start < 1_024 || this.#start * 2 < this.#times.length) return;
    this.#times = this.#times.slice(this.#start);
    this.#start = 0;
  }

  get most(): number {
    return this.#most;
  }
}

/** The same over times that are already known; for windows other than the usual minute. */
export function mostWithin(times: Iterable<number>, windowMs: number): number {
  const window = new PeakWindow(windowMs);
  for (const time of times) window.add(time);
  return window.most;
}
