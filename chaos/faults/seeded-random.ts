// The randomness of a run: every draw comes from the printed seed, so that the same seed gives the same plan. The
// timing of faults also depends on the machine: a seed repeats a plan, not a run.

import { seededRandom } from '../../src/simulator/scenario/random.ts';

export type SeededRandom = {
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  shuffled<T>(list: readonly T[]): T[];
};

export function createSeededRandom(seed: number): SeededRandom {
  const random = seededRandom(seed);
  const between = (least: number, most: number) =>
    least + Math.floor(random() * (most - least + 1));
  return {
    between,
    shuffled(list) {
      const rest = [...list];
      return list.flatMap(() => rest.splice(between(0, rest.length - 1), 1));
    },
  };
}
