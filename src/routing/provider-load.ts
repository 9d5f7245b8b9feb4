// The load of a provider for the strategy LEAST_LOADED: the minutes until a message that is routed to it now would run.
// It depends on the messages that wait and on the rate at which the provider's accounts can serve them. Pure.

export type ProviderWork = {
  /** Messages that are routed to the provider and not finished. */
  readonly waiting: number;
  readonly accounts: readonly AccountCapacity[];
};

export type AccountCapacity = {
  readonly perMinute: number;
  /** The remaining fraction of the account's own limit as its headers report it, from 0 to 1; undefined if unknown. */
  readonly headroom: number | undefined;
  /** False while a limit or an open circuit forbids calling it. */
  readonly isUsable: boolean;
};

/** Providers refill their windows continuously: an account without headroom is slow, not limited. */
const MIN_HEADROOM = 0.05;

/** Infinite if no account may be called. */
export function providerLoad({ waiting, accounts }: ProviderWork): number {
  const perMinute = accounts.reduce((sum, account) => sum + usableRate(account), 0);
  return perMinute > 0 ? (waiting + 1) / perMinute : Number.POSITIVE_INFINITY;
}

function usableRate({ perMinute, headroom = 1, isUsable }: AccountCapacity): number {
  if (!isUsable) return 0;
  return perMinute * Math.min(1, Math.max(MIN_HEADROOM, headroom));
}
