// Reads the providers of the file and the environment: the three built-in providers, then the file's. A key comes
// from the file (`apiKey`), from a variable named in the file (`apiKeyVariable`), or from the provider's own variable. A
// provider without any key is disabled; if some accounts of a provider have keys, an account without one is refused as a mistake.

import type { Config, ProviderConfig } from '../config.ts';
import { ConfigError, showName, showShape, wrongValue } from '../config-error.ts';
import { withoutPrototype } from '../lookup.ts';
import type { Origins, TableInput } from '../read-rows.ts';
import { inFile, parse, readRows } from '../read-rows.ts';
import { ACCOUNT_ROWS, PROVIDER_ROWS, providerName } from '../schema/named-settings.ts';
import type { Sources } from '../sources.ts';
import { asMap } from '../sources.ts';
import { builtIn } from './built-in-providers.ts';
import type { AccountValues } from './resolve-provider.ts';
import { resolveProvider } from './resolve-provider.ts';

export type ReadContext = { readonly sources: Sources; readonly origins: Origins };

export function readProviders(context: ReadContext, serverRegion: string): Config['providers'] {
  const given = asMap(inFile(context, 'providers'), context.sources.file['providers']);
  const read = (name: string): ProviderConfig =>
    readProvider(context, name, given[name], serverRegion);
  const others = Object.keys(given).filter((name) => !builtIn(name));
  for (const name of others)
    parse(providerName, inFile(context, `the name of providers.${showName(name)}`), name);
  return withoutPrototype({
    anthropic: read('anthropic'),
    openai: read('openai'),
    gemini: read('gemini'),
    ...Object.fromEntries(others.map((name) => [name, read(name)])),
  });
}

function readProvider(
  context: ReadContext,
  name: string,
  given: unknown,
  serverRegion: string,
): ProviderConfig {
  const path = `providers.${name}`;
  const map = asMap(inFile(context, path), given);
  const input = { ...context, path, given, provider: name, otherKeys: ['accounts'] };
  const values = readRows(PROVIDER_ROWS, withKeyVariable(input, map));
  const accounts = readAccounts(context, `${path}.accounts`, map['accounts']);
  refuseMissingKeys(context, path, values.apiKey !== undefined, accounts);
  const at = (key: string): string => inFile(context, `${path}.${key}`);
  return resolveProvider({ name, values, accounts, serverRegion, at });
}

function readAccounts(context: ReadContext, path: string, given: unknown): AccountValues[] {
  if (given === null || given === undefined) return [];
  if (!Array.isArray(given)) throw wrongValue(inFile(context, path), showShape(given), 'a list');
  const accounts = given.map((item: unknown, index) =>
    readAccount({ ...context, path: `${path}.${index}`, given: item }),
  );
  refuseDuplicates(inFile(context, path), accounts);
  return accounts;
}

function readAccount(input: TableInput): AccountValues {
  const given = asMap(inFile(input, input.path), input.given);
  const account = readRows(ACCOUNT_ROWS, withKeyVariable(input, given));
  if (account.name === undefined)
    throw wrongValue(inFile(input, `${input.path}.name`), 'not set', 'a name for the account');
  if (account.apiKey === undefined && account.apiKeyVariable === undefined)
    throw wrongValue(inFile(input, input.path), 'without a key', 'given apiKey or apiKeyVariable');
  return account;
}

/** Reads `apiKey` from the variable named by `apiKeyVariable`. */
function withKeyVariable(input: TableInput, given: Readonly<Record<string, unknown>>): TableInput {
  const variable = given['apiKeyVariable'];
  if (typeof variable !== 'string') return input;
  if (given['apiKey'] === undefined) return { ...input, variables: { apiKey: variable.trim() } };
  const name = inFile(input, `${input.path}.apiKey`);
  throw new ConfigError(`${name} is set beside apiKeyVariable, but only one of them may be.`);
}

function refuseDuplicates(name: string, accounts: readonly AccountValues[]): void {
  const isDuplicate = (account: AccountValues, index: number): boolean =>
    accounts.some(
      (other, position) =>
        position < index &&
        (other.name === account.name ||
          (other.apiKey !== undefined && other.apiKey === account.apiKey)),
    );
  const duplicate = accounts.find(isDuplicate);
  if (duplicate)
    throw wrongValue(
      name,
      `a list with ${showName(duplicate.name ?? '')} after one of its name or key`,
      'a list of accounts with a name and a key each of its own',
    );
}

function refuseMissingKeys(
  context: ReadContext,
  path: string,
  hasOwnKey: boolean,
  accounts: readonly AccountValues[],
): void {
  const missing = accounts.findIndex((account) => account.apiKey === undefined);
  const hasKey = hasOwnKey || accounts.some((account) => account.apiKey !== undefined);
  if (missing === -1 || !hasKey) return;
  const name = inFile(context, `${path}.accounts.${missing}.apiKeyVariable`);
  throw wrongValue(
    name,
    showName(accounts[missing]?.apiKeyVariable ?? ''),
    'a variable that is set, as other accounts of this provider have a key',
  );
}
