// The interval length of a time range: the finest stored resolution with at most MAX_POINTS intervals. Pure.

import { RESOLUTIONS_MS, type SeriesRange } from './series-store.ts';

export const RANGES_MS = Object.freeze({
  '15m': 900_000,
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
});
export type RangeName = keyof typeof RANGES_MS;

export const MAX_POINTS = 400;
const COARSEST_MS = RESOLUTIONS_MS[2];

/**
 * If `to` is in the future, the range ends with the current interval. A range that ends before it begins has one
 * interval.
 */
export function seriesRange(from: number, to: number, now: number): SeriesRange {
  const end = Math.max(Math.min(to, now + 1), 1);
  const begin = Math.max(0, Math.min(from, end - 1));
  for (const resolutionMs of RESOLUTIONS_MS) {
    const range = widen(begin, end, resolutionMs);
    if ((range.to - range.from) / resolutionMs <= MAX_POINTS)
      return { resolutionMs, stepMs: resolutionMs, ...range };
  }
  const stepMs = COARSEST_MS * Math.ceil((end - begin) / COARSEST_MS / (MAX_POINTS - 1));
  return { resolutionMs: COARSEST_MS, stepMs, ...widen(begin, end, stepMs) };
}

function widen(from: number, to: number, stepMs: number): { from: number; to: number } {
  return { from: Math.floor(from / stepMs) * stepMs, to: Math.ceil(to / stepMs) * stepMs };
}
