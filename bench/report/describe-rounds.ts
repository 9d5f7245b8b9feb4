// The absolute numbers of one server's rounds, for information only.

import type { SideFigure } from '../bench-row.ts';
import type { Round } from '../side-by-side.ts';
import { figureOf } from './statistics.ts';

export function describeRounds(
  name: string,
  rounds: readonly Round[],
  eventsPerRequest?: number,
): SideFigure[] {
  const figure = (what: string, unit: string, of: (round: Round) => number): SideFigure => ({
    what: `${name}: ${what}`,
    unit,
    figure: figureOf(rounds.map(of)),
  });
  const cost =
    eventsPerRequest === undefined
      ? [figure('CPU per request', 'µs', (round) => round.cpuMicrosPerRequest)]
      : [
          figure('CPU per event', 'µs', (round) => round.cpuMicrosPerRequest / eventsPerRequest),
          figure('first words, median', 'ms', (round) => round.firstByteP50Ms),
        ];
  return [
    ...cost,
    figure('requests per second', '', (round) => (round.completed * 1_000) / round.elapsedMs),
    figure('whole answer, median', 'ms', (round) => round.p50Ms),
    figure('whole answer, 99th percentile', 'ms', (round) => round.p99Ms),
  ];
}
