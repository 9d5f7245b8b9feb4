// The port to the retry budget: a bucket of tokens per provider, shared by the cluster, so that an outage is never
// multiplied. Each request puts a part of a token in, each retry takes one out, and where requests are rare time adds
// a little, so that a lone caller is helped too.

export type RetryBudget = {
  /** A request made its first attempt. Costs nothing: what is put in is carried along by the next `take`. */
  deposit(provider: string): void;
  /** Calls back once; false when a retry would multiply an outage. Rare, so it may ask another server. */
  take(provider: string, onAnswer: (isGranted: boolean) => void): void;
  close(): Promise<void>;
};

export type RetryBudgetRules = {
  /** What each request puts in. */
  readonly perRequest: number;
  /** What a second without requests puts in; each request uses up one such token of time. */
  readonly perSecond: number;
  /** The most that is in it, and what it begins with. */
  readonly capacity: number;
};

export const RETRY_BUDGET_DEFAULTS: RetryBudgetRules = Object.freeze({
  perRequest: 0.1,
  perSecond: 0.5,
  capacity: 8,
});
