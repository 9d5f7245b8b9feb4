// The port to the figures of the rate limiter's own records, for operators: how many there are, how much memory they take and
// when they expire.

export type LimiterFigures = {
  /** The number of records: windows in memory, or keys in Redis. */
  readonly records: number;
  /** Undefined where the store does not measure it. */
  readonly memoryBytes?: number | undefined;
  /** The shortest and the longest time to live; undefined where records do not expire by themselves. */
  readonly ttl?: { readonly minMs: number; readonly maxMs: number } | undefined;
};

/** Rejects while the store of the records is unavailable. */
export type ReadLimiterFigures = () => Promise<LimiterFigures>;
