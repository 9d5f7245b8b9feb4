// The peak number of events in any sliding window. Each arrival counts back from itself, which finds every
// peak, because a fullest window can always end at an arrival.

export class PeakWindow {
  readonly #windowMs: number;
  #times: number[] = [];
  #start = 0;
  #most = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Times must be non-decreasing. */
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

/** The same over a complete list of times, for windows other than one minute. */
export function mostWithin(times: Iterable<number>, windowMs: number): number {
  const window = new PeakWindow(windowMs);
  for (const time of times) window.add(time);
  return window.most;
}
