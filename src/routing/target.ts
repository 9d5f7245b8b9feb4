// Where a call can go: one account of one provider and the model's name there.

import type { ProviderFormat } from '../kernel/provider-format.ts';

export type Target = {
  readonly provider: string;
  readonly account: string;
  readonly region: string;
  readonly format: ProviderFormat;
  /** The model as the provider calls it. */
  readonly model: string;
  readonly origin: string;
  /** What the provider's base URL has behind its origin; no slash at the end. */
  readonly basePath: string;
  readonly apiKey: string;
};

/** What routing must know of a provider; the configuration has more. */
export type RoutableProvider = {
  readonly name: string;
  readonly format: ProviderFormat;
  readonly baseUrl: string;
  readonly region: string;
  /** Accounts with a key; empty when the provider is not configured. */
  readonly accounts: readonly RoutableAccount[];
  /** Patterns of the model names it claims; a star stands for any text. */
  readonly models: readonly string[];
};

export type RoutableAccount = {
  readonly name: string;
  readonly apiKey: string;
  /** Where its limits and breaker count, when not in the provider's own region. */
  readonly region?: string;
};

/** One target for each account that has a key, in the configuration's order. */
export function targetsOf(provider: RoutableProvider, model: string): readonly Target[] {
  const url = new URL(provider.baseUrl);
  const basePath = url.pathname.replace(/\/+$/, '');
  return provider.accounts.map((account) =>
    Object.freeze({
      provider: provider.name,
      account: account.name,
      region: account.region ?? provider.region,
      format: provider.format,
      model,
      origin: url.origin,
      basePath,
      apiKey: account.apiKey,
    }),
  );
}
