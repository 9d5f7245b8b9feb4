// Smooth weighted round-robin: in every turn each candidate gains its weight in credit; the candidate with the most
// credit is chosen and pays the sum of all weights. Choices are in proportion to the weights and spread evenly, without
// bursts. The candidates may differ from turn to turn. Of equal credits the first candidate wins.

export class WeightedTurns<T> {
  readonly #weightOf: (candidate: T) => number;
  readonly #credits = new Map<T, number>();

  constructor(weightOf: (candidate: T) => number) {
    this.#weightOf = weightOf;
  }

  /** In descending order of credit: the chosen candidate is the first. */
  next(candidates: readonly T[]): readonly T[] {
    let total = 0;
    for (const candidate of candidates) {
      const weight = this.#weightOf(candidate);
      total += weight;
      this.#credits.set(candidate, this.#creditOf(candidate) + weight);
    }
    const order = candidates.toSorted((a, b) => this.#creditOf(b) - this.#creditOf(a));
    const [chosen] = order;
    if (chosen !== undefined) this.#credits.set(chosen, this.#creditOf(chosen) - total);
    return order;
  }

  #creditOf(candidate: T): number {
    return this.#credits.get(candidate) ?? 0;
  }
}
