// From a credential to who is calling. Keys that were seen are remembered, so that the hot path asks no
// store; a revoked key is forgotten here at once (`forget`), and on other servers when they hear of it.
// While the store is away remembered keys go on serving and unknown ones are told that capacity is gone.

import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import { hashApiKey, hasValidChecksum } from './api-key.ts';
import type { KeyStore } from './key-store.ts';
import { isExpired, type Principal, toPrincipal } from './principal.ts';

/** Memory for callers who rotate through keys is bounded; the oldest are forgotten first. */
const REMEMBERED_KEYS = 20_000;

export type Keyring = {
  /** Who it is, if that is known without asking anybody. The hot path's first try. */
  known(credential: string): Principal | undefined;
  /** Who it is, asking the store; throws UNAUTHORIZED for a key that is unknown, revoked or expired. */
  find(credential: string | undefined): Promise<Principal>;
  /** Forgets keys by their hash, or all of them: after a revocation or a change of an organisation. */
  forget(hash?: string): void;
};

export type KeyringParts = {
  readonly store: Pick<KeyStore, 'findByHash'>;
  readonly hashKey: string;
  readonly clock: Clock;
  /** The operator's own key, known without a store. */
  readonly operator?: { readonly key: string; readonly principal: () => Principal };
};

export function createKeyring({ store, hashKey, clock, operator }: KeyringParts): Keyring {
  const remembered = new Map<string, { principal: Principal; hash: string }>();
  let operatorPrincipal = operator?.principal();
  /** Rises with every `forget`: an answer that was asked for before it may be out of date. */
  let forgotten = 0;

  function known(credential: string): Principal | undefined {
    const principal =
      credential === operator?.key ? operatorPrincipal : remembered.get(credential)?.principal;
    return principal && !isExpired(principal, clock.now()) ? principal : undefined;
  }

  async function find(credential: string | undefined): Promise<Principal> {
    if (credential === undefined) throw unauthorized('the request carries no key');
    const principal = known(credential) ?? (await ask(credential));
    if (!principal || isExpired(principal, clock.now())) throw unauthorized('the key is not valid');
    return principal;
  }

  async function ask(credential: string): Promise<Principal | undefined> {
    // Guessed keys fail here and never reach the store.
    if (!hasValidChecksum(credential)) return undefined;
    const hash = hashApiKey(credential, hashKey);
    const askedAt = forgotten;
    const found = await findInStore(hash);
    const principal = found && toPrincipal(found);
    if (principal && askedAt === forgotten) remember(credential, principal, hash);
    return principal;
  }

  async function findInStore(hash: string): ReturnType<KeyStore['findByHash']> {
    try {
      return await store.findByHash(hash);
    } catch (cause) {
      throw new SpillwayError('CAPACITY_EXHAUSTED', 'keys cannot be looked up', { cause });
    }
  }

  function remember(credential: string, principal: Principal, hash: string): void {
    if (remembered.size >= REMEMBERED_KEYS) {
      const oldest = remembered.keys().next();
      if (!oldest.done) remembered.delete(oldest.value);
    }
    remembered.set(credential, { principal, hash });
  }

  return {
    known,
    find,
    forget(hash) {
      forgotten += 1;
      operatorPrincipal = operator?.principal();
      if (hash === undefined) return remembered.clear();
      for (const [credential, entry] of remembered) {
        if (entry.hash === hash) remembered.delete(credential);
      }
    },
  };
}

function unauthorized(message: string): SpillwayError {
  return new SpillwayError('UNAUTHORIZED', message);
}
