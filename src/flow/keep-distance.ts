// Those who come late all at once, because everything stood still for a while, are let on one after the other, in nine
// tenths of the distances that their moments have: what was missed is made up for, and not by a herd. Because it goes by
// the distances that were given, it holds for any number of servers that share a line. Who is on time never waits.

import { type Clock, sleep } from '../kernel/clock.ts';

/** Resolves when one whose moment was `dueAt` is let on. Moments are of any one clock. */
export type KeepDistance = (dueAt: number) => Promise<void>;

const KEPT_PART = 0.9;
const LONGEST_MS = 5000;

/** The same for many lines, each by its name. */
export function createDistances(clock: Clock): (line: string, dueAt: number) => Promise<void> {
  const distances = new Map<string, KeepDistance>();
  return (line, dueAt) => {
    const known = distances.get(line);
    const distance = known ?? createDistance(clock);
    if (!known) distances.set(line, distance);
    return distance(dueAt);
  };
}

export function createDistance(clock: Clock): KeepDistance {
  let last: { readonly dueAt: number; readonly letOnAtMs: number } | undefined;
  return async (dueAt) => {
    // Let on before and asking again, or standing before the last: nobody waits twice.
    if (last && dueAt <= last.dueAt) return;
    const nowMs = clock.monotonic();
    const inTurnMs = last ? last.letOnAtMs + KEPT_PART * (dueAt - last.dueAt) : nowMs;
    const letOnAtMs = Math.min(Math.max(nowMs, inTurnMs), nowMs + LONGEST_MS);
    // Taken at once, so that each who waits here has another.
    last = { dueAt, letOnAtMs };
    const waitMs = Math.round(letOnAtMs - nowMs);
    if (waitMs > 0) await sleep(clock, waitMs);
  };
}
