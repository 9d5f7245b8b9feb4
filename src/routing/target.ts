// A target of a call: one account of one provider and the model's name there.

import type { OpenAiEndpoint, ProviderFormat } from '../kernel/provider-format.ts';

export type Target = {
  readonly provider: string;
  readonly account: string;
  readonly region: string;
  readonly format: ProviderFormat;
  /** The provider's name for the model. */
  readonly model: string;
  readonly origin: string;
  /** The path of the provider's base URL, without a trailing slash. */
  readonly basePath: string;
  readonly apiKey: string;
  /** The endpoint for translated requests; absent: `chat`. Only OpenAI's format has a choice. */
  readonly translateTo?: OpenAiEndpoint;
  /** The only endpoint of a provider of OpenAI's format; absent: it has both. */
  readonly onlyEndpoint?: OpenAiEndpoint;
};

/** The part of a provider's configuration that routing needs. */
export type RoutableProvider = {
  readonly name: string;
  readonly format: ProviderFormat;
  readonly baseUrl: string;
  readonly region: string;
  /** Accounts with a key; empty when the provider is not configured. */
  readonly accounts: readonly RoutableAccount[];
  /** Patterns of the model names it claims; a star matches any text. */
  readonly models: readonly string[];
  /** Absent: `chat`. */
  readonly translateTo?: OpenAiEndpoint;
  /** Absent: both. */
  readonly onlyEndpoint?: OpenAiEndpoint | undefined;
};

export type RoutableAccount = {
  readonly name: string;
  readonly apiKey: string;
  /** The region of its limits and circuits; absent: the provider's. */
  readonly region?: string;
};

/** One target per account with a key, in the order of the configuration. */
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
      ...(provider.translateTo === 'responses' && { translateTo: provider.translateTo }),
      ...(provider.onlyEndpoint && { onlyEndpoint: provider.onlyEndpoint }),
    }),
  );
}
