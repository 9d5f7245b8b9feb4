// The organisation that pays with its quota for the bodies of a request, on fastify's routes.

import type { FastifyRequest } from 'fastify';
import type { BodyOwner } from './body-quota.ts';

/** Operators and callers of public routes share one quota each; no organisation has such an id. */
export function ownerOf({ principal, isOperator }: FastifyRequest): BodyOwner {
  if (principal) return principal;
  return {
    organizationId: isOperator === true ? ' operators' : ' public',
    maxConcurrent: undefined,
  };
}
