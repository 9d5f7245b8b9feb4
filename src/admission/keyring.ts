// Resolves a credential to its principal. Resolved keys are cached, so that the hot path needs no store lookup;
// `forget` drops a revoked key here at once, and other servers drop it when they poll the store. While the store is
// unavailable cached keys keep working and other keys get CAPACITY_EXHAUSTED.

import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import { hashApiKey, hasValidChecksum } from './api-key.ts';
import type { KeyStore } from './key-store.ts';
import { isExpired, type Principal, toPrincipal } from './principal.ts';

/** Bounds the memory of callers that rotate keys; the oldest entry is evicted first. */
const MAX_CACHED_KEYS = 20_000;

export type Keyring = {
  /** The cached principal, without a store lookup: the hot path. */
  known(credential: string): Principal | undefined;
  /** Looks the key up in the store if needed; throws UNAUTHORIZED for an unknown, revoked or expired key. */
  find(credential: string | undefined): Promise<Principal>;
  /** Drops one key by its hash (revocation), or all keys (change of an organisation). */
  forget(hash?: string): void;
};

export type KeyringParts = {
  readonly store: Pick<KeyStore, 'findByHash'>;
  readonly hashKey: string;
  readonly clock: Clock;
  /** The operator's own key; it is not in the store. */
  readonly operator?: { readonly key: string; readonly principal: () => Principal };
};

export function createKeyring({ store, hashKey, clock, operator }: KeyringParts): Keyring {
  const cached = new Map<string, { principal: Principal; hash: string }>();
  let operatorPrincipal = operator?.principal();
  /** Rises with every `forget`: a lookup that started under an older generation is not cached. */
  let generation = 0;

  function known(credential: string): Principal | undefined {
    const principal =
      credential === operator?.key ? operatorPrincipal : cached.get(credential)?.principal;
    return principal && !isExpired(principal, clock.now()) ? principal : undefined;
  }

  async function find(credential: string | undefined): Promise<Principal> {
    if (credential === undefined) throw unauthorized('missing credentials');
    const principal = known(credential) ?? (await lookUp(credential));
    if (!principal || isExpired(principal, clock.now()))
      throw unauthorized('unknown, revoked or expired key');
    return principal;
  }

  async function lookUp(credential: string): Promise<Principal | undefined> {
    // The checksum rejects guessed keys before they cost a store lookup.
    if (!hasValidChecksum(credential)) return undefined;
    const hash = hashApiKey(credential, hashKey);
    const startedIn = generation;
    const found = await findInStore(hash);
    const principal = found && toPrincipal(found);
    if (principal && startedIn === generation) cache(credential, principal, hash);
    return principal;
  }

  async function findInStore(hash: string): ReturnType<KeyStore['findByHash']> {
    try {
      return await store.findByHash(hash);
    } catch (cause) {
      throw new SpillwayError('CAPACITY_EXHAUSTED', 'key store unavailable', { cause });
    }
  }

  function cache(credential: string, principal: Principal, hash: string): void {
    if (cached.size >= MAX_CACHED_KEYS) {
      const oldest = cached.keys().next();
      if (!oldest.done) cached.delete(oldest.value);
    }
    cached.set(credential, { principal, hash });
  }

  return {
    known,
    find,
    forget(hash) {
      generation += 1;
      operatorPrincipal = operator?.principal();
      if (hash === undefined) return cached.clear();
      for (const [credential, entry] of cached) {
        if (entry.hash === hash) cached.delete(credential);
      }
    },
  };
}

function unauthorized(message: string): SpillwayError {
  return new SpillwayError('UNAUTHORIZED', message);
}
