// The port to the stored samples of all servers. A row is identified by its source (one start of one server), its
// resolution and the start of its interval; saving it again replaces it, so that a repeated save counts nothing twice.
// An unavailable store rejects: the sampler keeps its rows, and readers get the error.

import type { Sample } from './sample.ts';

/** Lengths of the stored intervals. Every sample is stored in each, so that a long range reads few rows. */
export const RESOLUTIONS_MS = [60_000, 300_000, 1_800_000] as const;
export type ResolutionMs = (typeof RESOLUTIONS_MS)[number];

export type SeriesRow = {
  readonly source: string;
  readonly resolutionMs: ResolutionMs;
  /** Start of the interval: a multiple of the resolution. */
  readonly startsAt: number;
  readonly sample: Sample;
};

export type SeriesRange = {
  readonly resolutionMs: ResolutionMs;
  /** A multiple of the resolution: the length of the intervals that are returned. */
  readonly stepMs: number;
  /** A multiple of the step. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
};

export type SeriesInterval = { readonly at: number; readonly sample: Sample };

export type SeriesStore = {
  save(rows: readonly SeriesRow[]): Promise<void>;
  /** The sums over all sources, one per interval with a sample, in ascending order. */
  read(range: SeriesRange): Promise<readonly SeriesInterval[]>;
  /** Deletes the rows of intervals that began before a timestamp and returns their number. */
  prune(before: number): Promise<number>;
};
