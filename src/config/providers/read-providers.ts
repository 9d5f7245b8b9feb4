// Reads the providers of the file and the environment. The three built-in ones are always there; those of the
// file come after them. A key may be in the file (`apiKey`), in a variable named there (`apiKeyVariable`), or
// in the provider's own variable. A provider whose keys are all missing is simply off; an account whose key
// is missing while its siblings have theirs is a mistake and is refused.

import type { Config, ProviderConfig } from '../config.ts';
import { ConfigError, showName, showShape, wrongValue } from '../config-error.ts';
import { withoutPrototype } from '../lookup.ts';
import type { Origins, Place } from '../read-rows.ts';
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
  const place = { ...context, path, given, provider: name, otherKeys: ['accounts'] };
  const values = readRows(PROVIDER_ROWS, withKeyVariable(place, map));
  const accounts = readAccounts(context, `${path}.accounts`, map['accounts']);
  refuseHalfOfTheKeys(context, path, values.apiKey !== undefined, accounts);
  const at = (key: string): string => inFile(context, `${path}.${key}`);
  return resolveProvider({ name, values, accounts, serverRegion, at });
}

function readAccounts(context: ReadContext, path: string, given: unknown): AccountValues[] {
  if (given === null || given === undefined) return [];
  if (!Array.isArray(given)) throw wrongValue(inFile(context, path), showShape(given), 'a list');
  const accounts = given.map((item: unknown, index) =>
    readAccount({ ...context, path: `${path}.${index}`, given: item }),
  );
  refuseTwins(inFile(context, path), accounts);
  return accounts;
}

function readAccount(place: Place): AccountValues {
  const given = asMap(inFile(place, place.path), place.given);
  const account = readRows(ACCOUNT_ROWS, withKeyVariable(place, given));
  if (account.name === undefined)
    throw wrongValue(inFile(place, `${place.path}.name`), 'not set', 'a name for the account');
  if (account.apiKey === undefined && account.apiKeyVariable === undefined)
    throw wrongValue(inFile(place, place.path), 'without a key', 'given apiKey or apiKeyVariable');
  return account;
}

/** `apiKey` is then read from the variable that the file names. */
function withKeyVariable(place: Place, given: Readonly<Record<string, unknown>>): Place {
  const variable = given['apiKeyVariable'];
  if (typeof variable !== 'string') return place;
  if (given['apiKey'] === undefined) return { ...place, variables: { apiKey: variable.trim() } };
  const name = inFile(place, `${place.path}.apiKey`);
  throw new ConfigError(`${name} is set beside apiKeyVariable, but only one of them may be.`);
}

function refuseTwins(name: string, accounts: readonly AccountValues[]): void {
  const isTwin = (account: AccountValues, index: number): boolean =>
    accounts.some(
      (other, position) =>
        position < index &&
        (other.name === account.name ||
          (other.apiKey !== undefined && other.apiKey === account.apiKey)),
    );
  const twin = accounts.find(isTwin);
  if (twin)
    throw wrongValue(
      name,
      `a list with ${showName(twin.name ?? '')} after one of its name or key`,
      'a list of accounts with a name and a key each of its own',
    );
}

function refuseHalfOfTheKeys(
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
