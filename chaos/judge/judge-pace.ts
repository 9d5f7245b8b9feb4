// Checks the promise of exact delays: delayed jobs return at the limit's rate without a burst, and the limit stays
// almost fully used while jobs wait. Every row checks that no call is early.

import type { Dose } from '../faults/dose.ts';
import type { Call } from '../installation/provider.ts';
import { busiestSpan, usedParts } from './pace.ts';

const SECOND_MS = 1_000;
/** The largest allowed multiple of the limit's rate in the busiest second. */
const MAX_OF_RATE = 1.5;
/** The smallest allowed share of the limit used while jobs wait. */
const MIN_USE = 0.95;

export type PaceFinding = {
  readonly notes: readonly string[];
  readonly shortcomings: readonly string[];
};

export function judgePace(
  calls: readonly Pick<Call, 'startedAt'>[],
  limit: Pick<Dose, 'perWindow' | 'windowMs'>,
): PaceFinding {
  const arrivals = calls.map(({ startedAt }) => startedAt);
  const parts = usedParts(arrivals, limit);
  const use = parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
  const perSecond = (limit.perWindow * SECOND_MS) / limit.windowMs;
  const busiest = busiestSpan(arrivals, SECOND_MS, limit);
  return {
    notes: [
      `${percent(use)} of the limit used while jobs waited (by window: ${parts.map(percent).join(', ')})`,
      `${busiest} calls in the busiest second, at a rate of ${perSecond.toFixed(0)} a second`,
    ],
    shortcomings: [
      ...(use >= MIN_USE ? [] : [`at least ${percent(MIN_USE)} of the limit is used`]),
      ...(busiest <= MAX_OF_RATE * perSecond
        ? []
        : [`at most ${MAX_OF_RATE} times the rate comes in any second`]),
    ],
  };
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
