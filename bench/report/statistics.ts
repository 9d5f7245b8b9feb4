// Medians and spread of rounds. A median, because other processes disturb single rounds of a shared machine; the spread
// shows how noisy a figure is.

export type Figure = {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** The values of the single rounds, in order. */
  readonly rounds: readonly number[];
};

export function figureOf(values: readonly number[]): Figure {
  if (values.length === 0) throw new Error('A median needs at least one value');
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: middle(sorted),
    min: sorted.at(0) ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
    rounds: values,
  };
}

/** The ratio of the medians; its spread comes from the ratios of rounds that ran side by side. */
export function ratioOf(subject: readonly number[], base: readonly number[]): Figure {
  const pairs = figureOf(subject.map((value, round) => value / (base[round] ?? Number.NaN)));
  return { ...pairs, median: figureOf(subject).median / figureOf(base).median };
}

function middle(sorted: readonly number[]): number {
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? 0;
  return Number.isInteger(half) ? ((sorted[half - 1] ?? 0) + upper) / 2 : upper;
}
