// The port to what is known of providers that have said "not before T". What one server learns all servers
// know (the shared implementation announces it); reading is local, because every call asks. A limit only
// ever moves later, and is over by itself.

export type ProviderLimit = {
  readonly provider: string;
  readonly region: string;
  /** Set when the failure was bound to one model; absent, it holds for the whole provider and region. */
  readonly model?: string;
  /** Epoch milliseconds, as the provider said it: what callers are told. */
  readonly resetAt: number;
  readonly setBy: string;
  readonly setAt: number;
  /** A throttle is a limit that is over within minutes: callers may wait for it. */
  readonly kind: 'learnt' | 'reported' | 'manual' | 'throttled';
};

/** Clocks differ: a record outlives its limit by this much, so that nobody misses its last moments. */
export const CLOCK_SKEW_MS = 1000;
/** How long a limit holds when the provider does not say. */
export const UNSTATED_LIMIT_MS = 300_000;

export type ProviderLimits = {
  /** The limit that forbids this call now, if there is one. Never waits. */
  active(provider: string, region: string, model: string): ProviderLimit | undefined;
  /**
   * Takes effect here at once; resolves when every server can know, or when they will be told as soon as they
   * can be. A limit that ends earlier changes nothing.
   */
  set(limit: ProviderLimit): Promise<void>;
  clear(provider: string, region: string, model?: string): Promise<void>;
  list(): Promise<readonly ProviderLimit[]>;
  close(): Promise<void>;
};
