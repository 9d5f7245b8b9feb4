// Victims, order, times and downtimes, drawn from the seed before the run starts. Times are fractions of the load, so
// that every kill interrupts work on any machine.

import type { SeededRandom } from './seeded-random.ts';

export type Kill<Victim> = {
  readonly victim: Victim;
  /** The fraction of the load that has passed by then, above 0 and below 1. */
  readonly atPart: number;
  readonly downMs: number;
};

const MIN_DOWN_MS = 200;
const MAX_DOWN_MS = 2_500;

/** Every victim is killed once before any is killed twice. */
export function planKills<Victim>(
  random: SeededRandom,
  victims: readonly Victim[],
  count: number,
): Kill<Victim>[] {
  if (victims.length === 0) throw new Error('No process to kill');
  const order: Victim[] = [];
  while (order.length < count) order.push(...random.shuffled(victims));
  return order.slice(0, count).map((victim, index) => ({
    victim,
    atPart: (index + 0.5 + random.between(-40, 40) / 100) / count,
    downMs: random.between(MIN_DOWN_MS, MAX_DOWN_MS),
  }));
}
