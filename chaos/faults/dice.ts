// The randomness of a run: everything that is drawn comes from the seed that the run prints, so that the same seed plans
// the same faults. When they strike also depends on the machine, so a seed repeats a plan and not a run.

import { seededRandom } from '../../src/simulator/scenario/random.ts';

export type Dice = {
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  shuffled<T>(list: readonly T[]): T[];
};

export function createDice(seed: number): Dice {
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
