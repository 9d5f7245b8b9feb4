// Idempotency keys of every POST route of fastify; the AI endpoints claim theirs in flow/. The key is claimed after
// authentication and the body, and the response is stored before it is sent. A refusal frees the key, so that the caller
// can correct the request under the same key. While the store is unavailable requests with a key are refused; requests
// without one are not affected.

import { pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { beginFingerprint, readIdempotencyKey } from '../admission/idempotency-key.ts';
import type { IdempotencyClaim } from '../admission/idempotency-store.ts';
import { replayHeaders, toStoredAnswer } from '../admission/stored-answer.ts';
import type { ErrorCode } from '../errors/codes.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import {
  AnswerKeeper,
  claimCall,
  isFinal,
  type KeeperParts,
} from '../flow/serve/idempotent-call.ts';
import { DEGRADED_HEADER } from '../flow/serve/serve-stale.ts';
import type { BeforeSend } from './reply-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response contains a secret that is shown once: it is not stored and not replayed. */
    isAnswerSecret?: boolean;
    /** The longest time that the route works on a request; absent: a minute. */
    maxDurationMs?: number;
  }
}

export type IdempotentRoutes = {
  /** Adds the hooks; call it before the routes are registered. */
  register(app: FastifyInstance): void;
  /** Stores a failure before it is sent, or frees the key; undefined without a claimed key. */
  beforeFailure(request: FastifyRequest, error: SpillwayError): BeforeSend | undefined;
};

/** The tenant of operators: they have no organisation. Ids of organisations cannot contain a colon. */
const OPERATORS = ':operators';
/** Most routes only write to the store: a claim without a result after this time belongs to a dead process. */
const DEADLINE_MS = 60_000;
/** Errors of the request itself: the handler changed nothing. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'INVALID_REQUEST',
  'REQUEST_TOO_LARGE',
  'UNAUTHORIZED',
  'FORBIDDEN',
]);

export function createIdempotentRoutes(parts: KeeperParts): IdempotentRoutes {
  const fingerprints = new WeakMap<FastifyRequest, () => string>();
  const keepers = new WeakMap<FastifyRequest, AnswerKeeper>();

  async function claim(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const wanted = claimOf(request, fingerprints.get(request), parts.clock.now());
    if (!wanted) return undefined;
    const kept = await claimCall(parts.store, wanted, parts.clock.now());
    if (kept) return reply.code(kept.status).headers(replayHeaders(kept)).send(kept.body);
    keepers.set(request, new AnswerKeeper(parts, wanted));
    return undefined;
  }

  return {
    register(app) {
      app.addHook('preParsing', async (request, _reply, payload) => {
        if (!isKeyed(request)) return payload;
        const hash = beginFingerprint(request.method, request.url);
        fingerprints.set(request, () => hash.digest('base64url'));
        return tapped(payload, (chunk) => hash.update(chunk));
      });
      app.addHook('preValidation', claim);
      app.addHook('onSend', async (request, reply, payload) => {
        const keeper = keepers.get(request);
        if (keeper) await settle(keeper, request, reply, payload);
        return payload;
      });
    },
    beforeFailure(request, error) {
      const keeper = keepers.get(request);
      if (!keeper) return undefined;
      const isKept = isFinal(error) && !REFUSALS.has(error.code);
      return (answer) => (isKept ? keeper.keep(answer) : keeper.free());
    },
  };
}

function isKeyed(request: FastifyRequest): boolean {
  if (request.method !== 'POST' || tenantOf(request) === undefined) return false;
  return readIdempotencyKey(request.headers) !== undefined;
}

function tenantOf({ isOperator, principal }: FastifyRequest): string | undefined {
  return isOperator === true ? OPERATORS : principal?.organizationId;
}

function claimOf(
  request: FastifyRequest,
  fingerprint: (() => string) | undefined,
  now: number,
): IdempotencyClaim | undefined {
  const organizationId = tenantOf(request);
  const key = readIdempotencyKey(request.headers);
  if (organizationId === undefined || key === undefined || !fingerprint) return undefined;
  return {
    organizationId,
    key,
    fingerprint: fingerprint(),
    requestId: request.id,
    deadlineAt: now + (request.routeOptions.config.maxDurationMs ?? DEADLINE_MS),
  };
}

/** Passes the bytes on and shows each chunk to `see`; an aborted request breaks both streams. */
function tapped(payload: Readable, see: (chunk: Buffer) => void): Readable {
  const watched = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      see(chunk);
      done(null, chunk);
    },
  });
  return pipeline(payload, watched, () => {});
}

function settle(
  keeper: AnswerKeeper,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const { statusCode } = reply;
  // A stale answer stands for a retryable failure, so the key is freed.
  if (statusCode >= 400 || reply.hasHeader(DEGRADED_HEADER)) return keeper.free();
  const body = request.routeOptions.config.isAnswerSecret === true ? undefined : bytesOf(payload);
  return keeper.keep(body && toStoredAnswer(statusCode, Object.entries(reply.getHeaders()), body));
}

/** Undefined for a streamed payload. */
function bytesOf(payload: unknown): Buffer | undefined {
  if (payload === null || payload === undefined) return Buffer.alloc(0);
  if (typeof payload === 'string') return Buffer.from(payload);
  return Buffer.isBuffer(payload) ? payload : undefined;
}
