// Answers a request of fastify's routes with its failure. A route that makes a model call leaves the facts of the call on
// the request.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SpillwayError } from '../errors/spillway-error.ts';
import type { WireFormat } from '../errors/wire-shape.ts';
import type { FailedRequest } from '../flow/serve/reply.ts';
import type { IdempotentRoutes } from './idempotent-routes.ts';
import type { ErrorReplier } from './reply-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route makes a model call; its failures have `success: false` beside the error. */
    hasSuccessField?: boolean;
  }
  interface FastifyRequest {
    /** The model call that failed the request. */
    failedCall?: FailedRequest;
  }
}

export type FailureParts = {
  readonly replyError: ErrorReplier;
  readonly idempotency: IdempotentRoutes;
};

/** The framework must not answer as well. */
export function failRequest(
  { replyError, idempotency }: FailureParts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: SpillwayError,
  format: WireFormat = 'spillway',
): void {
  reply.hijack();
  replyError({
    error,
    format,
    requestId: request.id,
    request: request.raw,
    response: reply.raw,
    principal: request.principal,
    isBegun: false,
    isRefusal: request.failedCall?.isLogged !== true,
    isCounted:
      request.isOperator !== true &&
      request.isAdminGuess !== true &&
      request.failedCall?.wasCalled !== true,
    hasRetried: request.failedCall?.hasRetried,
    hasSuccessField: request.routeOptions.config.hasSuccessField,
    beforeSend: idempotency.beforeFailure(request, error),
  });
}
