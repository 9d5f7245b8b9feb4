// Opens the keyring. Changes by this server drop cached callers at once; follow-callers.ts polls the store for changes
// by other servers.

import { createKeyring, type Keyring } from '../../admission/keyring.ts';
import { ensureDefaultOrganization } from '../../admission/organization-store.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import { type CallerCache, followCallers } from '../follow-callers.ts';
import type { Identity } from '../identity.ts';
import { operatorPrincipal } from '../operator-principal.ts';
import type { Store } from './open-store.ts';

export type KeyringContext = {
  readonly identity: Identity;
  readonly store: Store;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
};

export async function openKeyring(
  config: Config,
  context: KeyringContext,
): Promise<{ keyring: Keyring; callers: CallerCache }> {
  const { identity, store, clock, lifecycle } = context;
  let organization = await ensureDefaultOrganization(store.organizations, clock.now());
  const { apiKey } = identity;
  const keyring = createKeyring({
    store: store.keys,
    hashKey: config.auth.hashKey ?? store.identity.hashKey,
    clock,
    ...(apiKey === undefined
      ? {}
      : { operator: { key: apiKey, principal: () => operatorPrincipal(organization) } }),
  });
  const callers: CallerCache = {
    organizationChanged(changed) {
      if (changed.id === organization.id) organization = changed;
      keyring.forget();
    },
    keyRevoked: (hash) => keyring.forget(hash),
  };
  if (config.storage.databaseUrl !== undefined) {
    const refreshAll = async (): Promise<void> => {
      organization = (await store.organizations.find(organization.id)) ?? organization;
      keyring.forget();
    };
    const following = followCallers({ ...store, callers, refreshAll, clock });
    lifecycle.onClose('keyring', () => following.close());
  }
  return { keyring, callers };
}
