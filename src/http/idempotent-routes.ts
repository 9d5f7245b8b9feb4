// Idempotency keys on every POST that goes through the framework; the AI endpoints claim theirs in the flow. The key is
// claimed once the caller is known and its body is read, and the answer is kept before it is sent. Refusals free the
// key: whoever corrects a request may send it under the same one. While the store is away a request with a key is
// refused; one without does not notice.

import { pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { beginFingerprint, readIdempotencyKey } from '../admission/idempotency-key.ts';
import type { IdempotencyClaim } from '../admission/idempotency-store.ts';
import { replayHeaders, toKeptAnswer } from '../admission/kept-answer.ts';
import type { ErrorCode } from '../errors/codes.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import {
  AnswerKeeper,
  claimCall,
  isFinal,
  type KeeperParts,
} from '../flow/serve/idempotent-call.ts';
import type { BeforeSend } from './reply-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer holds a secret that is shown once: it is not kept, and cannot be had again. */
    isAnswerSecret?: boolean;
  }
}

export type IdempotentRoutes = {
  /** Adds the hooks; to be called before the routes are. */
  register(app: FastifyInstance): void;
  /** What to do before a failure is answered; undefined where no key was claimed. */
  beforeFailure(request: FastifyRequest, error: SpillwayError): BeforeSend | undefined;
};

/** Operators belong to no organisation. No organisation's id can hold a colon. */
const OPERATORS = ':operators';
/** These routes only write to the store: whoever has not answered by then is gone. */
const DEADLINE_MS = 60_000;
/** The handler, or what stands before it, found fault with the request itself: nothing was done. */
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
        return passingBy(payload, (chunk) => hash.update(chunk));
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
    deadlineAt: now + DEADLINE_MS,
  };
}

/** The same bytes, shown to somebody on their way; a caller who leaves in the middle breaks both streams. */
function passingBy(payload: Readable, see: (chunk: Buffer) => void): Readable {
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
  if (statusCode >= 400) return keeper.free();
  const body = request.routeOptions.config.isAnswerSecret === true ? undefined : bytesOf(payload);
  return keeper.keep(body && toKeptAnswer(statusCode, Object.entries(reply.getHeaders()), body));
}

/** Undefined for what is sent piece by piece. */
function bytesOf(payload: unknown): Buffer | undefined {
  if (payload === null || payload === undefined) return Buffer.alloc(0);
  if (typeof payload === 'string') return Buffer.from(payload);
  return Buffer.isBuffer(payload) ? payload : undefined;
}
