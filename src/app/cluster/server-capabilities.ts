// What this server can serve, for its record: providers with a key, the model names they claim and the aliases, and the
// accounts: their limits and circuits decide whether a call can be made now.

import type { ServerCapabilities } from '../../cluster/server-record.ts';
import type { Config } from '../../config/config.ts';
import { accountCircuit, type CircuitKey } from '../../resilience/circuit-key.ts';

export function serverCapabilities({
  providers,
  aliases,
}: Pick<Config, 'providers' | 'aliases'>): ServerCapabilities {
  const usable = Object.values(providers).filter(({ hasKey }) => hasKey);
  return {
    providers: usable.map(({ name }) => name),
    models: [...Object.keys(aliases), ...usable.flatMap(({ models }) => models)],
    scopes: callableAccounts({ providers }),
  };
}

/** The scope of each account with a key. */
export function callableAccounts({ providers }: Pick<Config, 'providers'>): readonly CircuitKey[] {
  return Object.values(providers)
    .filter(({ hasKey }) => hasKey)
    .flatMap(({ name: provider, accounts }) =>
      accounts.map(({ name: account, region }) => accountCircuit({ provider, region, account })),
    );
}
