// The capacity decision of an application's own routes, before the body is read:
//
//   from another server?  verify the signature, run here or decline; never forward again
//   from a caller         key → organisation → budget and limits of its key → capacity of this server
//                         → run here, with a slot, or forward, or refuse with the true time to come back
//
// States of a request: arrived → admitted (a slot is taken until the response closes) | forwarded | refused.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../admission/principal.ts';
import { SpillwayError, toSpillwayError } from '../../errors/spillway-error.ts';
import { TAKEN_HEADER } from '../../flow/forward/forward-exchange.ts';
import { forwardReason } from '../../flow/forward/forward-reason.ts';
import { isOwnMethod } from '../../flow/forward/forwarded-request.ts';
import { addHop, hopOf } from '../../upstream/hops.ts';
import type { AcceptedForward } from '../inter-server-gate.ts';
import { forwardOwnRequest } from './forward-own-request.ts';
import type { CapacityRoute, OwnRoutes } from './own-routes.ts';
import { readRawBody } from './raw-body.ts';
import type { RequestIds } from './request-ids.ts';

export type CapacityHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The forwarded requests with a body that is not verified yet. */
export type AcceptedForwards = WeakMap<FastifyRequest, AcceptedForward>;

export type RefuseOwn = (
  request: FastifyRequest,
  reply: FastifyReply,
  error: SpillwayError,
  isBegun?: boolean,
) => void;

export type CapacityHookParts = {
  readonly routes: OwnRoutes;
  readonly ids: RequestIds;
  readonly accepted: AcceptedForwards;
  readonly refuse: RefuseOwn;
};

export function createCapacityHook(parts: CapacityHookParts, route: CapacityRoute): CapacityHook {
  const { routes, ids, accepted, refuse } = parts;
  const ownHop = hopOf(routes.serverId);

  /** Takes a slot; throws CAPACITY_EXHAUSTED if none is free. */
  function admit(request: FastifyRequest, reply: FastifyReply, principal: Principal): void {
    const { organizationId } = principal;
    routes.slots.acquire(organizationId);
    reply.raw.once('close', () => routes.slots.release(organizationId));
    reply.raw.setHeader('x-spillway-served-by', routes.serverId);
    const forwardedBy = accepted.get(request)?.source;
    request.principal = principal;
    request.spillway = { requestId: ids.of(request), organizationId, forwardedBy };
  }

  async function acceptForwarded(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const forwarded = routes.interServer?.accept(request.raw);
    if (!forwarded) throw new SpillwayError('UNAUTHORIZED', 'no calls of servers are accepted');
    accepted.set(request, forwarded);
    ids.set(request, forwarded.requestId);
    const refusal = routes.decide(modelOf(route, request));
    if (refusal) throw refusal;
    admit(request, reply, forwarded.principal);
    reply.raw.setHeader(TAKEN_HEADER, 'taken');
  }

  async function decide(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const principal = await findPrincipal(routes, route, request);
    const model = modelOf(route, request);
    const foreseen = await routes.foreseeRefusal(principal, model === undefined);
    if (foreseen) throw foreseen;
    const refusal = routes.decide(model);
    if (refusal) return forwardOrRefuse(request, reply, principal, refusal);
    admit(request, reply, principal);
    routes.statistics.count('local', 'available');
  }

  async function forwardOrRefuse(
    request: FastifyRequest,
    reply: FastifyReply,
    principal: Principal,
    refusal: SpillwayError,
  ): Promise<void> {
    const { forward, clock, resolveTargets } = routes;
    const { raw, method } = request;
    const isForwardable =
      forwardReason({ error: refusal, isBegun: false, wasCalled: false }) !== undefined;
    if (!forward || !isForwardable || !isOwnMethod(method)) throw refusal;
    const startedAtMs = clock.monotonic();
    const body = await readRawBody(raw, request.routeOptions.bodyLimit ?? Infinity);
    reply.hijack();
    const own = { id: ids.of(request), request: raw, response: reply.raw, method, body };
    forwardOwnRequest(
      forward,
      { ...own, principal, model: modelOf(route, request), startedAtMs },
      refusal,
      { resolveTargets, answer: (error, isBegun) => refuse(request, reply, error, isBegun) },
    );
  }

  return async (request, reply) => {
    const isForwarded = routes.interServer?.isClaimed(request.raw) === true;
    try {
      if (!addHop(request.headers, ownHop))
        throw new SpillwayError('LOOP_DETECTED', 'the request has passed this server before');
      if (isForwarded) await acceptForwarded(request, reply);
      else await decide(request, reply);
    } catch (thrown) {
      refuse(request, reply, toSpillwayError(thrown));
    }
  };
}

async function findPrincipal(
  { keyring, apiKey }: OwnRoutes,
  { key }: CapacityRoute,
  request: FastifyRequest,
): Promise<Principal> {
  return keyring.find(key ? await key(request) : apiKey);
}

function modelOf({ model }: CapacityRoute, request: FastifyRequest): string | undefined {
  return typeof model === 'function' ? model(request) : model;
}
