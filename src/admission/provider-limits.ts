// The port to provider limits: providers that serve nothing before a reset time. A limit that one server learns applies
// on all of them (the shared adapter announces it). Reading is local, because every call reads. The end of a limit only
// moves later, and a limit expires automatically.

import type { CircuitKey } from '../resilience/circuit-key.ts';

/** Without a model, the limit applies to all models of the account. */
export type ProviderLimit = CircuitKey & {
  /** Epoch milliseconds as the provider stated them; callers are shown this value. */
  readonly resetAt: number;
  readonly setBy: string;
  readonly setAt: number;
  /** A throttle is over within minutes: callers may wait for it. Used-up credit has no reset: its end is the next probe. */
  readonly kind: 'learnt' | 'credit' | 'reported' | 'manual' | 'throttled';
  /** The request that met a learnt limit; its record shows the provider's answer. */
  readonly requestId?: string | undefined;
};

/** A stored record outlives its limit by this much, because the servers' clocks differ. */
export const CLOCK_SKEW_MS = 1000;
/** Providers' own limits last at most a month; a later reset time is a mistake. */
export const MAX_LIMIT_MS = 32 * 86_400_000;
/** A throttle is over within minutes; if a provider states more, it is called again after an hour. */
export const MAX_THROTTLE_MS = 3_600_000;

export type ProviderLimits = {
  /** The limit that applies to a call now: of its account, or of its model. Synchronous. */
  active(call: CircuitKey): ProviderLimit | undefined;
  /**
   * Takes effect on this server at once. Resolves when the other servers can know of it, or when the announcement is
   * queued until they can. A limit that ends before the known one changes nothing.
   */
  set(limit: ProviderLimit): Promise<void>;
  /** Clears the limit of exactly this scope. */
  clear(key: CircuitKey): Promise<void>;
  list(): Promise<readonly ProviderLimit[]>;
  close(): Promise<void>;
};
