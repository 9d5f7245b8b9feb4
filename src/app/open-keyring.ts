// Who may call. On a shared store other servers revoke keys and change organisations too: revocations are
// asked for every two seconds, so that they hold everywhere within five, and everything is asked anew once a
// minute.

import { createKeyring, type Keyring } from '../admission/keyring.ts';
import { ensureDefaultOrganization } from '../admission/organization-store.ts';
import type { Config } from '../config/config.ts';
import type { CancelTimer, Clock } from '../kernel/clock.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { CallerMemory } from './administration.ts';
import type { Identity } from './identity.ts';
import type { Store } from './open-store.ts';
import { operatorPrincipal } from './operator-principal.ts';

const REVOCATIONS_EVERY_MS = 2000;
const EVERYTHING_EVERY_MS = 60_000;
/** Clocks of servers differ; a revocation that is seen twice costs nothing. */
const OVERLAP_MS = 60_000;

export type KeyringContext = {
  readonly identity: Identity;
  readonly store: Store;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
};

export async function openKeyring(
  config: Config,
  context: KeyringContext,
): Promise<{ keyring: Keyring; callers: CallerMemory }> {
  const { identity, store, clock } = context;
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
  const callers: CallerMemory = {
    organizationChanged(changed) {
      if (changed.id === organization.id) organization = changed;
      keyring.forget();
    },
    keyRevoked: (hash) => keyring.forget(hash),
  };
  if (config.storage.databaseUrl !== undefined) {
    followOthers(context, keyring, async () => {
      organization = (await store.organizations.find(organization.id)) ?? organization;
      keyring.forget();
    });
  }
  return { keyring, callers };
}

function followOthers(
  { store, clock, lifecycle }: KeyringContext,
  keyring: Keyring,
  askAnew: () => Promise<void>,
): void {
  let cancel: CancelTimer;
  let isClosed = false;
  let askedAnewAt = clock.now();

  async function look(): Promise<void> {
    const now = clock.now();
    for (const hash of await store.keys.revokedSince(now - OVERLAP_MS)) keyring.forget(hash);
    if (now - askedAnewAt < EVERYTHING_EVERY_MS) return;
    await askAnew();
    askedAnewAt = now;
  }

  function schedule(): void {
    // A store that is away is asked again; until then what is known goes on serving.
    cancel = clock.after(REVOCATIONS_EVERY_MS, () => {
      void look()
        .catch(() => {})
        .finally(() => {
          if (!isClosed) schedule();
        });
    });
  }

  schedule();
  lifecycle.onClose('keyring', () => {
    isClosed = true;
    cancel();
  });
}
