// Authentication of endpoints: an operator has the admin key or a session of the dashboard, a caller has a key with a scope. A
// missing or unknown credential is UNAUTHORIZED, a missing scope FORBIDDEN.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { KeyScope } from '../admission/key-scope.ts';
import type { Keyring } from '../admission/keyring.ts';
import type { Principal } from '../admission/principal.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { findPrincipal, hasCredential, readCredential, readCredentials } from './credential.ts';
import { addressSubject, keySubject, type RefusalLimit } from './refusal-limit.ts';
import type { OperatorSessions } from './session/operator-sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set after authentication; errors are rendered in its organisation's language. */
    principal?: Principal;
    /** True if the request carries the admin key or a session. */
    isOperator?: boolean;
    /** A wrong admin key, which has a limit of its own. */
    isAdminGuess?: boolean;
  }
}

export type Gate = {
  requireAdmin(request: FastifyRequest): void;
  /** `queryKey`: the credential in the query, on paths that allow one. */
  requireScope(request: FastifyRequest, scope: KeyScope, queryKey?: string): Promise<Principal>;
  requireAdminOrScope(request: FastifyRequest, scope: KeyScope): Promise<void>;
};

/** The limits of wrong credentials, per address. */
export type GuessLimits = {
  readonly admin: RefusalLimit;
  readonly keys: RefusalLimit;
};

export function createGate(
  keyring: Keyring,
  adminKey: string,
  guesses?: GuessLimits,
  sessions?: Pick<OperatorSessions, 'expiry'>,
): Gate {
  const adminDigest = digest(adminKey);

  function isAdmin(request: FastifyRequest): boolean {
    const isMatch = readCredentials(request.headers).some((credential) =>
      timingSafeEqual(digest(credential), adminDigest),
    );
    request.isOperator = isMatch || hasSession(request);
    return request.isOperator;
  }

  /**
   * A browser sends its cookie with every request; a request that has a credential is authenticated by that credential.
   */
  function hasSession(request: FastifyRequest): boolean {
    if (!sessions || request.headers.cookie === undefined) return false;
    return !hasCredential(request.headers) && sessions.expiry(request.raw) !== undefined;
  }

  /** A blocked address may still use a key that is known here. */
  async function find(request: FastifyRequest, queryKey?: string): Promise<Principal> {
    const credential = readCredential(request.headers, queryKey);
    const known = credential === undefined ? undefined : keyring.known(credential);
    if (known) return known;
    const isGuess = hasCredential(request.headers, queryKey);
    const blocked = isGuess ? guesses?.keys.blocked(addressSubject(request.raw)) : undefined;
    if (blocked) throw blocked;
    return findPrincipal(keyring, request.headers, queryKey);
  }

  /** The correct key always passes: a stranger on the same address must not lock an operator out. */
  function refuseAdmin(request: FastifyRequest): never {
    const isGuess = hasCredential(request.headers);
    request.isAdminGuess = isGuess;
    const throttled = isGuess ? guesses?.admin.count(addressSubject(request.raw)) : undefined;
    throw throttled ?? new SpillwayError('UNAUTHORIZED', 'not the admin key');
  }

  async function requireScope(
    request: FastifyRequest,
    scope: KeyScope,
    queryKey?: string,
  ): Promise<Principal> {
    const principal = await find(request, queryKey);
    request.principal = principal;
    const blocked = guesses?.keys.blocked(keySubject(principal));
    if (blocked) throw blocked;
    if (principal.scopes.has(scope)) return principal;
    throw new SpillwayError('FORBIDDEN', `the key lacks the scope ${scope}`);
  }

  return {
    requireAdmin(request) {
      if (!isAdmin(request)) refuseAdmin(request);
    },
    requireScope,
    async requireAdminOrScope(request, scope) {
      if (!isAdmin(request)) await requireScope(request, scope);
    },
  };
}

/** Authenticates before the body is read. Every POST route spreads this or adminGuard. */
export function scopeGuard(gate: Pick<Gate, 'requireScope'>, scope: KeyScope) {
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      await gate.requireScope(request, scope);
    },
  };
}

/** The constant-time comparison requires buffers of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
