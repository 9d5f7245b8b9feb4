// The port to the retry budget: a token bucket per provider, shared by the cluster, that keeps retries from multiplying the
// load of an outage. Each request adds a fraction of a token, each retry takes one, and while requests are rare time adds
// tokens too, so that a single caller can retry.

/** The bucket of the organisation that asks for a token, which a shared budget counts on all servers. */
export type RetryShare = {
  readonly organizationId: string;
  /** The organisation's requests at this server since it last asked for a token. */
  readonly requests: number;
  readonly capacity: number;
};

/** The port to the retry budget: a token bucket that bounds retries during an outage. */
export type RetryBudget = {
  /** A request made its first attempt. Local and cheap: the next `take` carries the deposits along. */
  deposit(provider: string): void;
  /**
   * Calls back once; false when the bucket is empty, or the share of the organisation. Rare, so it may cost a round trip.
   * A budget of one process ignores the share, which the caller counts as well.
   */
  take(provider: string, onAnswer: (isGranted: boolean) => void, share?: RetryShare): void;
  close(): Promise<void>;
};

/** How fast a retry budget fills, and how far. */
export type RetryBudgetRules = {
  /** Tokens added by each request. */
  readonly perRequest: number;
  /** Tokens added by each second; each request cancels one token of time. */
  readonly perSecond: number;
  /** The maximum, and the initial amount. */
  readonly capacity: number;
};

/** The rules of a retry budget without options. */
export const RETRY_BUDGET_DEFAULTS: RetryBudgetRules = Object.freeze({
  perRequest: 0.1,
  perSecond: 0.5,
  capacity: 8,
});
