// Who is killed, in which order, when, and for how long: drawn from the seed before anything starts. Moments are parts of
// the load, not times, so that every kill meets work under way however fast the machine is.

import type { Dice } from './dice.ts';

export type Kill<Victim> = {
  readonly victim: Victim;
  /** How much of the load has passed by then, above 0 and below 1. */
  readonly atPart: number;
  readonly downMs: number;
};

const MIN_DOWN_MS = 200;
const MAX_DOWN_MS = 2_500;

/** Every victim has its turn before one has a second. */
export function planKills<Victim>(
  dice: Dice,
  victims: readonly Victim[],
  count: number,
): Kill<Victim>[] {
  if (victims.length === 0) throw new Error('There is nobody to kill');
  const order: Victim[] = [];
  while (order.length < count) order.push(...dice.shuffled(victims));
  return order.slice(0, count).map((victim, index) => ({
    victim,
    atPart: (index + 0.5 + dice.between(-40, 40) / 100) / count,
    downMs: dice.between(MIN_DOWN_MS, MAX_DOWN_MS),
  }));
}
