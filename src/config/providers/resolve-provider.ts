// Resolves the rows of one provider into its configuration: a normalised base URL and the accounts with a key, each with
// its limits. The order of precedence: the account's number, the account's tier, the provider's number
// (`{PROVIDER}_RATE_LIMIT`), the provider's tier, the built-in number.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { AccountConfig, ProviderConfig } from '../config.ts';
import { wrongValue } from '../config-error.ts';
import type { ACCOUNT_ROWS, PROVIDER_ROWS } from '../schema/named-settings.ts';
import type { ValuesOf } from '../schema/setting.ts';
import { TIER_LIMITS, type TierLimits } from './account-tiers.ts';
import { builtIn, OTHER_REQUESTS_PER_MINUTE } from './built-in-providers.ts';

export type ProviderValues = ValuesOf<typeof PROVIDER_ROWS>;
export type AccountValues = ValuesOf<typeof ACCOUNT_ROWS>;

export type ProviderGiven = {
  readonly name: string;
  readonly values: ProviderValues;
  readonly accounts: readonly AccountValues[];
  readonly serverRegion: string;
  /** The name of a key of this provider, for messages. */
  at(key: string): string;
};

export function resolveProvider(given: ProviderGiven): ProviderConfig {
  const { name, values } = given;
  const known = builtIn(name);
  const format = known?.format ?? values.format ?? 'openai';
  if (values.format !== undefined && values.format !== format)
    throw wrongValue(given.at('format'), values.format, `${format}, as ${name} is built in`);
  const baseUrl = values.baseUrl ?? known?.baseUrl;
  if (baseUrl === undefined)
    throw wrongValue(given.at('baseUrl'), 'not set', "the address of the provider's API");
  const accounts = resolveAccounts(given);
  return {
    name,
    format,
    baseUrl: normaliseBaseUrl(format, baseUrl),
    region: values.region ?? given.serverRegion,
    models: values.models ?? known?.models ?? [],
    defaultModel: values.defaultModel ?? known?.defaultModel,
    translateTo: values.translateTo,
    onlyEndpoint: values.onlyEndpoint,
    queue: values.queue ?? `${name}-analysis-queue`,
    accounts,
    hasKey: accounts.length > 0,
    rateLimitPerMinute:
      accounts.reduce((sum, account) => sum + account.requestsPerMinute, 0) ||
      requestsPerMinute(given),
    windowMs: values.windowMs,
    limitGuardMs: values.limitGuardMs,
  };
}

/** SDKs spell OpenAI's base URL with /v1 at the end and the others without a version, which they add themselves. */
function normaliseBaseUrl(format: ProviderFormat, given: string): string {
  const trimmed = given.replace(/\/+$/, '');
  if (format !== 'openai') return trimmed.replace(/\/v1(?:beta)?$/, '');
  // A path stays as written: many compatible servers have their own ("/openai", "/api/v3").
  return new URL(trimmed).pathname === '/' ? `${trimmed}/v1` : trimmed;
}

function resolveAccounts(given: ProviderGiven): readonly AccountConfig[] {
  const ownKey = given.values.apiKey;
  // A listed account with the provider's own key is the same account: counting it twice would double its limits.
  const isListed = given.accounts.some((account) => account.apiKey === ownKey);
  const own = ownKey === undefined || isListed ? [] : [resolveAccount(given, ownKey)];
  const listed = given.accounts.flatMap((account) =>
    account.apiKey === undefined ? [] : [resolveAccount(given, account.apiKey, account)],
  );
  return [...own, ...listed];
}

function resolveAccount(given: ProviderGiven, apiKey: string, own?: AccountValues): AccountConfig {
  return {
    name: own?.name ?? 'default',
    apiKey,
    region: own?.region ?? given.values.region ?? given.serverRegion,
    tier: own?.tier ?? given.values.tier,
    requestsPerMinute: requestsPerMinute(given, own),
    tokensPerMinute: limit('tokensPerMinute', given, own),
    tokensPerDay: limit('tokensPerDay', given, own),
  };
}

function requestsPerMinute(given: ProviderGiven, own?: AccountValues): number {
  return (
    limit('requestsPerMinute', given, own) ??
    builtIn(given.name)?.requestsPerMinute ??
    OTHER_REQUESTS_PER_MINUTE
  );
}

function limit(
  key: keyof TierLimits,
  { values }: ProviderGiven,
  own?: AccountValues,
): number | undefined {
  const ownTier = own?.tier && TIER_LIMITS[own.tier];
  const tier = values.tier && TIER_LIMITS[values.tier];
  return own?.[key] ?? ownTier?.[key] ?? values[key] ?? tier?.[key];
}
