// Authentication of endpoints: an operator has the admin key, a caller has a key with a scope. A missing or unknown
// credential is UNAUTHORIZED, a missing scope FORBIDDEN.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { KeyScope } from '../admission/key-scope.ts';
import type { Keyring } from '../admission/keyring.ts';
import type { Principal } from '../admission/principal.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { findPrincipal, readCredentials } from './credential.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set after authentication; errors are rendered in its organisation's language. */
    principal?: Principal;
    /** True if the request carries the admin key. */
    isOperator?: boolean;
  }
}

export type Gate = {
  requireAdmin(request: FastifyRequest): void;
  /** `queryKey`: the credential in the query, on paths that allow one. */
  requireScope(request: FastifyRequest, scope: KeyScope, queryKey?: string): Promise<Principal>;
  requireAdminOrScope(request: FastifyRequest, scope: KeyScope): Promise<void>;
};

export function createGate(keyring: Keyring, adminKey: string): Gate {
  const adminDigest = digest(adminKey);

  function isAdmin(request: FastifyRequest): boolean {
    const isMatch = readCredentials(request.headers).some((credential) =>
      timingSafeEqual(digest(credential), adminDigest),
    );
    request.isOperator = isMatch;
    return isMatch;
  }

  async function requireScope(
    request: FastifyRequest,
    scope: KeyScope,
    queryKey?: string,
  ): Promise<Principal> {
    const principal = await findPrincipal(keyring, request.headers, queryKey);
    request.principal = principal;
    if (principal.scopes.has(scope)) return principal;
    throw new SpillwayError('FORBIDDEN', `the key lacks the scope ${scope}`);
  }

  return {
    requireAdmin(request) {
      if (!isAdmin(request)) throw new SpillwayError('UNAUTHORIZED', 'not the admin key');
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
