// The error boundary of an application's own routes: every failure leaves as a public answer of Spillway, so that no text of
// a provider and no stack reaches a user. A failure of an SDK or of `fetch` is mapped to its code; a request that does not
// fit its schema is INVALID_REQUEST; an error that the application made for its users (`expose`, as http-errors has it)
// goes to the application's own error handler.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { readFailure } from '../../resilience/policies/read-failure.ts';
import { fromFrameworkError } from '../framework-error.ts';
import type { RefuseOwn } from './capacity-hook.ts';
import type { OwnRoutes } from './own-routes.ts';
import type { RequestIds } from './request-ids.ts';

/** Answers with status, headers and body of the public answer, and keeps the headers that hooks have set. */
export function createRefuseOwn({ replyError }: OwnRoutes, ids: RequestIds): RefuseOwn {
  return (request, reply, error, isBegun = false) => {
    if (!isBegun) copyHeaders(reply);
    reply.hijack();
    replyError({
      error,
      format: 'spillway',
      requestId: ids.of(request),
      request: request.raw,
      response: reply.raw,
      principal: request.principal,
      isBegun,
      isRefusal: true,
    });
  };
}

/** Rethrows an error that is the application's own. */
export function createErrorBoundary(routes: OwnRoutes, refuse: RefuseOwn) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (isExposed(thrown)) throw thrown;
    refuse(request, reply, publicError(thrown, request, routes.clock.now()));
  };
}

function publicError(thrown: unknown, request: FastifyRequest, now: number): SpillwayError {
  if (thrown instanceof SpillwayError) return thrown;
  const limit = request.routeOptions.bodyLimit;
  return isOfFramework(thrown) ? fromFrameworkError(thrown, limit) : readFailure(thrown, now);
}

/** Headers that hooks have set, such as those of @fastify/cors: the answer is written without the framework. */
function copyHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined && name !== 'content-length' && name !== 'content-type')
      reply.raw.setHeader(name, value);
}

function isExposed(thrown: unknown): boolean {
  return fieldOf(thrown, 'expose') === true;
}

function isOfFramework(thrown: unknown): boolean {
  const code = fieldOf(thrown, 'code');
  const isFastify = typeof code === 'string' && code.startsWith('FST_');
  return isFastify || fieldOf(thrown, 'validation') !== undefined;
}

function fieldOf(thrown: unknown, name: string): unknown {
  return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined;
}
