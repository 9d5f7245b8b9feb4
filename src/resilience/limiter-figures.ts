// The port to figures about the rate limiter's records, for operators: their number, memory and times to live.

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
