// Durations counted in buckets, each 1 % wider than the previous one: constant memory for any number of requests, and
// percentiles exact to 1 %.

const MIN_MS = 0.01;
const GROWTH = Math.log(1.01);
/** 10 µs × 1.01^1700 is more than three minutes. */
const BUCKETS = 1_700;

export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  record(durationMs: number): void {
    const steps = Math.floor(Math.log(Math.max(durationMs, MIN_MS) / MIN_MS) / GROWTH);
    const bucket = Math.min(steps, BUCKETS - 1);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total += 1;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
  }

  /** The percentile of the given share (0.5, 0.99); 0 without recorded durations. */
  percentileMs(share: number): number {
    if (this.#total === 0) return 0;
    const wanted = Math.ceil(this.#total * share);
    let seen = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      seen += this.#counts[bucket] ?? 0;
      if (seen >= wanted) return MIN_MS * Math.exp((bucket + 0.5) * GROWTH);
    }
    return MIN_MS * Math.exp(BUCKETS * GROWTH);
  }
}
