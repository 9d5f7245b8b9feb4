// The description of one provider for `spillway config`: its settings, then a line per account with a key.

import type { AccountConfig, ProviderConfig, Source } from '../config.ts';
import type { Origins } from '../read-rows.ts';
import { variableOf } from '../read-rows.ts';
import type { DescribedGroup, DescribedValue } from '../schema/described-value.ts';
import { PROVIDER_ROWS } from '../schema/named-settings.ts';

/** The shown fields of a provider, each with the row it comes from. */
const SHOWN = [
  ['format', 'format'],
  ['baseUrl', 'baseUrl'],
  ['region', 'region'],
  ['models', 'models'],
  ['defaultModel', 'defaultModel'],
  ['translateTo', 'translateTo'],
  ['onlyEndpoint', 'onlyEndpoint'],
  ['queue', 'queue'],
  ['rateLimitPerMinute', 'requestsPerMinute'],
  ['windowMs', 'windowMs'],
  ['limitGuardMs', 'limitGuardMs'],
] as const satisfies readonly (readonly [keyof ProviderConfig, keyof typeof PROVIDER_ROWS])[];

/** Expects a masked provider. */
export function describeProvider(provider: ProviderConfig, origins: Origins): DescribedGroup {
  const path = `providers.${provider.name}`;
  const tierSource = (key: string): Source | undefined =>
    key === 'rateLimitPerMinute' ? origins.get(`${path}.tier`) : undefined;
  const values = SHOWN.map(([key, rowKey]): DescribedValue => {
    const value = provider[key];
    return {
      key,
      value: value === undefined ? undefined : String(value),
      whenUnset: PROVIDER_ROWS[rowKey].whenUnset,
      source: origins.get(`${path}.${rowKey}`) ?? tierSource(key) ?? 'default',
      variable: variableOf(PROVIDER_ROWS[rowKey], provider.name),
    };
  });
  const about = provider.hasKey ? 'A provider.' : 'A provider without a key.';
  return { path, about, values: [...values, ...describeAccounts(provider, path, origins)] };
}

function describeAccounts(
  provider: ProviderConfig,
  path: string,
  origins: Origins,
): DescribedValue[] {
  const listed = provider.accounts.flatMap((_, index) => origins.get(keyPath(path, index)) ?? []);
  // The provider's own key is the first account, unless a listed account has the same key.
  const own = provider.accounts.length - listed.length;
  return provider.accounts.map((account, index) => ({
    key: `accounts.${account.name}`,
    value: describeAccount(account),
    whenUnset: undefined,
    source: origins.get(index < own ? `${path}.apiKey` : keyPath(path, index - own)) ?? 'default',
    variable: undefined,
  }));
}

function keyPath(path: string, index: number): string {
  return `${path}.accounts.${index}.apiKey`;
}

function describeAccount(account: AccountConfig): string {
  const limits = [
    `${account.requestsPerMinute} requests/min`,
    account.tokensPerMinute === undefined ? [] : `${account.tokensPerMinute} tokens/min`,
    account.tokensPerDay === undefined ? [] : `${account.tokensPerDay} tokens/day`,
    account.tier === undefined ? [] : `tier ${account.tier}`,
    account.region,
  ].flat();
  return `${account.apiKey} (${limits.join(', ')})`;
}
