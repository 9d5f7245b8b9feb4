// The request ids of an application's own routes. Fastify numbers requests per process; Spillway's ids are unique, and a
// forwarded request keeps the id of its origin.

import type { FastifyRequest } from 'fastify';
import type { NewId } from '../../kernel/ids.ts';

export type RequestIds = {
  of(request: FastifyRequest): string;
  set(request: FastifyRequest, id: string): void;
};

export function createRequestIds(newId: NewId): RequestIds {
  const ids = new WeakMap<FastifyRequest, string>();
  return {
    of(request) {
      const known = ids.get(request);
      if (known !== undefined) return known;
      const made = newId('req');
      ids.set(request, made);
      return made;
    },
    set: (request, id) => void ids.set(request, id),
  };
}
