// A trace generated from a seed, for runs without a file: as many requests over as long a time as the published trace
// of a code assistant, with its shape: empty minutes, minutes at four times the mean, and bursts within a minute.

import { seededRandom } from '../../src/simulator/scenario/random.ts';
import type { RequestTrace, TracedRequest } from './request-trace.ts';

export type TraceShape = {
  readonly requests: number;
  readonly minutes: number;
  /** The maximum number of requests in a minute. */
  readonly peakMinute: number;
};

export const USUAL_SHAPE: TraceShape = { requests: 8_819, minutes: 57, peakMinute: 632 };

type Random = () => number;

const MINUTE_MS = 60_000;
const QUIET_PART = 0.2;
const CLUSTER_SIZE = 12;
const CLUSTER_GAP_MS = 120;

export function makeTrace(seed: number, shape: TraceShape = USUAL_SHAPE): RequestTrace {
  const random = seededRandom(seed);
  const counts = minuteCounts(random, shape);
  const times = counts.flatMap((count, minute) => timesOf(random, count, minute * MINUTE_MS));
  const first = times[0] ?? 0;
  return times.map(
    (atMs): TracedRequest => ({
      atMs: atMs - first,
      contextTokens: logNormal(random, { median: 1_500, spread: 1.2, least: 3, most: 7_500 }),
      generatedTokens: logNormal(random, { median: 14, spread: 0.9, least: 6, most: 2_000 }),
    }),
  );
}

/** Exponential weights give the bursts; the excess over a minute's maximum goes to other minutes. */
function minuteCounts(random: Random, { requests, minutes, peakMinute }: TraceShape): number[] {
  const weights = Array.from({ length: minutes }, (_, minute) =>
    // The first minute has at least one request, which is the origin of all offsets.
    minute > 0 && random() < QUIET_PART ? 0 : exponential(random),
  );
  const counts = weights.map(() => 0);
  let rest = requests;
  while (rest > 0) {
    const open = weights.map((weight, minute) => ((counts[minute] ?? 0) < peakMinute ? weight : 0));
    const sum = open.reduce((total, weight) => total + weight, 0);
    if (sum === 0) throw new RangeError('The requests do not fit under that peak');
    const share = rest / sum;
    for (const [minute, weight] of open.entries()) {
      const before = counts[minute] ?? 0;
      const added = Math.min(Math.ceil(weight * share), peakMinute - before, rest);
      counts[minute] = before + added;
      rest -= added;
    }
  }
  return counts;
}

function timesOf(random: Random, count: number, startMs: number): number[] {
  const times: number[] = [];
  while (times.length < count) {
    let at = random() * MINUTE_MS;
    const size = Math.min(count - times.length, 1 + Math.floor(2 * CLUSTER_SIZE * random()));
    for (let member = 0; member < size; member += 1) {
      times.push(startMs + Math.min(at, MINUTE_MS - 1));
      at += CLUSTER_GAP_MS * exponential(random);
    }
  }
  return times.sort((one, other) => one - other);
}

type Sizes = {
  readonly median: number;
  readonly spread: number;
  readonly least: number;
  readonly most: number;
};

function logNormal(random: Random, { median, spread, least, most }: Sizes): number {
  const size = Math.round(median * Math.exp(spread * normal(random)));
  return Math.min(most, Math.max(least, size));
}

function exponential(random: Random): number {
  return -Math.log(1 - random());
}

/** The Box–Muller transform. */
function normal(random: Random): number {
  return Math.sqrt(2 * exponential(random)) * Math.cos(2 * Math.PI * random());
}
