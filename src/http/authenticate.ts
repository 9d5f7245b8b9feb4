// Who may use an endpoint: an operator by the admin key, or a caller by a key with a scope. A missing or
// unknown credential is UNAUTHORIZED, a missing scope FORBIDDEN.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { KeyScope } from '../admission/key-scope.ts';
import type { Keyring } from '../admission/keyring.ts';
import type { Principal } from '../admission/principal.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { readCredential } from './credential.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the caller is known; errors are rendered in its organisation's language. */
    principal?: Principal;
    /** Set once the admin key was shown. */
    isOperator?: boolean;
  }
}

export type Gate = {
  requireAdmin(request: FastifyRequest): void;
  /** `queryKey`: a credential of the query, where the path allows one. */
  requireScope(request: FastifyRequest, scope: KeyScope, queryKey?: string): Promise<Principal>;
  requireAdminOrScope(request: FastifyRequest, scope: KeyScope): Promise<void>;
};

export function createGate(keyring: Keyring, adminKey: string): Gate {
  const adminDigest = digest(adminKey);

  function isAdmin(request: FastifyRequest): boolean {
    const credential = readCredential(request.headers);
    const isShown = credential !== undefined && timingSafeEqual(digest(credential), adminDigest);
    request.isOperator = isShown;
    return isShown;
  }

  async function requireScope(
    request: FastifyRequest,
    scope: KeyScope,
    queryKey?: string,
  ): Promise<Principal> {
    const principal = await keyring.find(readCredential(request.headers, queryKey));
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

/** Asks for the key before anything of the request is read. Every route that is a POST spreads this, or adminGuard. */
export function scopeGuard(gate: Pick<Gate, 'requireScope'>, scope: KeyScope) {
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      await gate.requireScope(request, scope);
    },
  };
}

/** Digests have one length, as the constant-time comparison demands. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
