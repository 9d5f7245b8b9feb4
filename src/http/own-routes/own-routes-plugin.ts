// Adds the capacity decision and the error boundary to the Fastify instance that it is registered on. Routes with
// `config.spillway` get the decision; the boundary covers every route of the instance.

import type { FastifyInstance, RouteOptions } from 'fastify';
import { type AcceptedForwards, createCapacityHook } from './capacity-hook.ts';
import { createErrorBoundary, createRefuseOwn } from './error-boundary.ts';
import type { AdmittedRequest, CapacityRoute, OwnRoutes } from './own-routes.ts';
import { verifiedBody } from './raw-body.ts';
import { createRequestIds } from './request-ids.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The capacity decision of the route; `true` decides by the load of the server alone. */
    spillway?: CapacityRoute | true;
  }
  interface FastifyRequest {
    /** Set on routes with a capacity decision. */
    spillway?: AdmittedRequest;
  }
}

const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;

export function registerOwnRoutes(app: FastifyInstance, routes: OwnRoutes): void {
  const accepted: AcceptedForwards = new WeakMap();
  const ids = createRequestIds(routes.newId);
  const refuse = createRefuseOwn(routes, ids);
  app.setErrorHandler(createErrorBoundary(routes, refuse));
  app.addHook('onRoute', (route) => {
    const given = route.config?.spillway;
    if (given === undefined) return;
    const hook = createCapacityHook({ routes, ids, accepted, refuse }, given === true ? {} : given);
    route.onRequest = [...listOf(route.onRequest), hook];
  });
  app.addHook('preParsing', async (request, _reply, payload) => {
    const forwarded = accepted.get(request);
    if (!forwarded) return payload;
    const limitBytes = request.routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT_BYTES;
    return verifiedBody(payload, forwarded, limitBytes);
  });
}

type Hooks = NonNullable<RouteOptions['onRequest']>;

/** The application's own hooks, such as its authentication, run first. */
function listOf(
  hooks: RouteOptions['onRequest'],
): Exclude<Hooks, (...args: never[]) => unknown>[number][] {
  if (hooks === undefined) return [];
  return Array.isArray(hooks) ? hooks : [hooks];
}
