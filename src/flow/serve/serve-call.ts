// Selects how a request at an AI endpoint is served, by its headers: idempotently (serve-once), as a job (queue-call), with
// a stale answer when no provider can serve (serve-stale), or directly. Each wraps the next; a request without such
// headers goes straight to serve-request, or, where servers forward to each other, through forward-call.

import { type ForwardParts, serveForwardable } from '../forward/forward-call.ts';
import type { KeeperParts } from './idempotent-call.ts';
import type { NativeRequest } from './native-request.ts';
import { prefersAsync, type QueueParts, queueCall } from './queue-call.ts';
import type { AnswerFailure, Reply, Serve, ServedRequest } from './reply.ts';
import { readDeadline } from './request-deadline.ts';
import { serveOnce } from './serve-once.ts';
import { assertMayUse, planRequest, type ServeParts, serveRequest } from './serve-request.ts';
import { type StaleParts, serveStale } from './serve-stale.ts';

export type ServeCallParts = ServeParts & {
  readonly once: KeeperParts;
  readonly stale: StaleParts;
  readonly queue: QueueParts;
  /** Undefined: requests are not forwarded to other servers. */
  readonly forward?: ForwardParts | undefined;
};

/** Throws on an invalid request, before any side effect. */
export function serveCall(
  parts: ServeCallParts,
  request: NativeRequest,
  reply: Reply,
  answerFailure: AnswerFailure,
): ServedRequest {
  const { headers } = request;
  if (headers['idempotency-key'] === undefined) {
    return servePreferred(parts, request, reply, answerFailure);
  }
  const { clock, attempts } = parts;
  const { totalMs, streamLeaseMs } = attempts.timeouts;
  const endsAtMs =
    readDeadline(headers, request.startedAtMs, clock) ??
    request.startedAtMs + Math.max(totalMs, streamLeaseMs);
  // Stores keep timestamps in whole milliseconds.
  const deadlineAt = Math.ceil(clock.now() + endsAtMs - clock.monotonic());
  const serve: Serve = (to, failed) => servePreferred(parts, request, to, failed);
  return serveOnce(parts.once, request, deadlineAt, { reply, answerFailure }, serve);
}

function servePreferred(
  parts: ServeCallParts,
  request: NativeRequest,
  reply: Reply,
  answerFailure: AnswerFailure,
): ServedRequest {
  if (prefersAsync(request.headers)) {
    const plan = planRequest(parts, request);
    assertMayUse(plan, request);
    return queueCall(parts.queue, request, plan, reply, answerFailure);
  }
  if (!request.principal.allowStale) return serveAnywhere(parts, request, reply, answerFailure);
  return serveStale(parts.stale, request, { reply, answerFailure }, (to, failed) =>
    serveAnywhere(parts, request, to, failed),
  );
}

/** Here, or at another server. */
function serveAnywhere(
  parts: ServeCallParts,
  request: NativeRequest,
  reply: Reply,
  answerFailure: AnswerFailure,
): ServedRequest {
  if (!parts.forward) return serveRequest(parts, request, reply, answerFailure);
  const serve: Serve = (to, failed) => serveRequest(parts, request, to, failed);
  const planOf = () => planRequest(parts, request);
  return serveForwardable(parts.forward, request, { reply, answerFailure }, planOf, serve);
}
