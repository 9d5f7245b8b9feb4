// The configuration as it may be shown: secrets and passwords masked by the kind of each setting. Everything
// that prints a configuration goes through here.

import type { AccountConfig, Config, ProviderConfig } from './config.ts';
import type { Mask } from './mask.ts';
import { maskSecret } from './mask.ts';
import type { Rows } from './setting.ts';
import { SETTINGS } from './settings.ts';

export type Masked = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export function maskConfig(config: Config): Masked {
  const sections = Object.entries(config).map(([name, values]) => [
    name,
    { ...values, ...maskRows(rowsOf(name), values) },
  ]);
  const providers = Object.entries(config.providers).map(([name, provider]) => [
    name,
    maskProvider(provider),
  ]);
  return { ...Object.fromEntries(sections), providers: Object.fromEntries(providers) };
}

function rowsOf(section: string): Rows {
  const tables: Readonly<Record<string, Rows>> = SETTINGS;
  return tables[section] ?? {};
}

function maskRows(rows: Rows, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const masked: Record<string, unknown> = {};
  for (const [key, { kind }] of Object.entries(rows))
    if (kind.mask) masked[key] = maskValue(kind.mask, values[key]);
  return masked;
}

function maskValue(mask: Mask, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => maskValue(mask, item));
  return typeof value === 'string' ? mask(value) : undefined;
}

function maskProvider(provider: ProviderConfig): ProviderConfig {
  return { ...provider, accounts: provider.accounts.map(maskAccount) };
}

function maskAccount(account: AccountConfig): AccountConfig {
  return { ...account, apiKey: maskSecret(account.apiKey) };
}
