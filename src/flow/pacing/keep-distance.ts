// Those who come late all at once, because everything stood still for a while, are let on one after the other, in nine
// tenths of the distances that their moments have: what was missed is made up for, and not by a herd. Because it goes by
// the distances that were given, it holds for several servers that share a line. Where moments are far apart because
// there was nothing to be had in between, that time is over, and the distance is a few intervals of the limit at most.
// Who is on time never waits.

import { type Clock, sleep } from '../../kernel/clock.ts';

/**
 * Resolves when one whose moment was `dueAt` is let on, or is told to stop. Moments are of any one clock, the interval is
 * the limit's.
 */
export type KeepDistance = (
  dueAt: number,
  intervalMs: number,
  signal?: AbortSignal,
) => Promise<void>;

const KEPT_PART = 0.9;
const MAX_MS = 5000;
/** So many servers may share a line. */
const MAX_INTERVALS = 8;

/** The same for many lines, each by its name. */
export function createDistances(clock: Clock): (line: string) => KeepDistance {
  const distances = new Map<string, KeepDistance>();
  return (line) => {
    const known = distances.get(line);
    const distance = known ?? createDistance(clock);
    if (!known) distances.set(line, distance);
    return distance;
  };
}

export function createDistance(clock: Clock): KeepDistance {
  let last: { readonly dueAt: number; readonly letOnAtMs: number } | undefined;
  return async (dueAt, intervalMs, signal) => {
    // Let on before and asking again, or standing before the last: nobody waits twice.
    if (last && dueAt <= last.dueAt) return;
    const nowMs = clock.monotonic();
    const apartMs = last ? Math.min(dueAt - last.dueAt, MAX_INTERVALS * intervalMs) : 0;
    const inTurnMs = (last?.letOnAtMs ?? nowMs) + KEPT_PART * apartMs;
    const letOnAtMs = Math.min(Math.max(nowMs, inTurnMs), nowMs + MAX_MS);
    // Taken at once, so that each who waits here has another.
    last = { dueAt, letOnAtMs };
    const waitMs = Math.round(letOnAtMs - nowMs);
    if (waitMs > 0) await sleep(clock, waitMs, signal).catch(() => {});
  };
}
