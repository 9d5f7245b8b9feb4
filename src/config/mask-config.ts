// Masks secrets and passwords of a configuration by the kind of each setting. All code that prints a configuration uses
// it. A masked value is still text, so the record keeps its type.

import type { Config, ProviderConfig } from './config.ts';
import { withoutPrototype } from './lookup.ts';
import type { Mask } from './mask.ts';
import { maskSecret } from './mask.ts';
import type { Rows } from './schema/setting.ts';
import { SETTINGS } from './schema/settings.ts';

export function maskConfig(config: Config): Config {
  const { compat, ...settings } = config;
  const values: Readonly<Record<string, object>> = settings;
  const sections = Object.entries(SETTINGS).map(
    ([name, rows]) => [name, maskRows(rows, values[name] ?? {})] as const,
  );
  const providers = Object.entries(config.providers).map(
    ([name, provider]) => [name, maskProvider(provider)] as const,
  );
  return {
    compat,
    ...settings,
    ...Object.fromEntries(sections),
    providers: withoutPrototype({ ...config.providers, ...Object.fromEntries(providers) }),
  };
}

function maskRows<T extends object>(rows: Rows, values: T): T {
  const masked = Object.entries(values).map(([key, value]: [string, unknown]) => {
    const mask = rows[key]?.kind.mask;
    return [key, mask ? maskValue(mask, value) : value];
  });
  return { ...values, ...Object.fromEntries(masked) };
}

function maskValue(mask: Mask, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => maskValue(mask, item));
  return typeof value === 'string' ? mask(value) : undefined;
}

function maskProvider(provider: ProviderConfig): ProviderConfig {
  return {
    ...provider,
    accounts: provider.accounts.map((account) => ({
      ...account,
      apiKey: maskSecret(account.apiKey),
    })),
  };
}
