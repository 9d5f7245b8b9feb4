// The HTTP server: AI endpoints go to their own handler, all other requests to fastify. Both share one listener, one
// error reply and one shutdown.
//
// server-listener.ts has the states of the listener.

import type { IncomingHttpHeaders, RequestListener, Server } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import type { Principal } from '../admission/principal.ts';
import type { Clock } from '../kernel/clock.ts';
import { createServer } from '../kernel/http-module.ts';
import type { NewId } from '../kernel/ids.ts';
import { admitBodies } from './bodies/admit-bodies.ts';
import type { BodyQuota } from './bodies/body-quota.ts';
import { readJsonBodies } from './bodies/json-body.ts';
import type { BodyIntake } from './bodies/read-body.ts';
import { boundAnswers } from './bodies/unread-answers.ts';
import { type ConnectionBounds, limitConnections } from './connection-limit.ts';
import { readCorrelationId } from './correlation-id.ts';
import { failRequest } from './fail-request.ts';
import { fromFrameworkError } from './framework-error.ts';
import type { IdempotentRoutes } from './idempotent-routes.ts';
import { drainRefusal } from './listener/mounted-requests.ts';
import { createPipelineBound } from './listener/pipelined-requests.ts';
import {
  createServerListener,
  type Draining,
  type HttpServer,
} from './listener/server-listener.ts';
import type { NativeHandler } from './native-handler.ts';
import { registerDocument } from './openapi/document-routes.ts';
import { generateDocument } from './openapi/generate-document.ts';
import { createCors } from './paths/cors.ts';
import {
  createRequestRouter,
  errorFormat,
  lacksHost,
  type Refuse,
  type RequestRouterParts,
  refuseUnserved,
  refuseWithoutHost,
} from './paths/route-request.ts';
import { createServedMethods } from './paths/served-methods.ts';
import type { ErrorReplier } from './reply-error.ts';
import { NO_OWN_COMPILERS, useZod } from './schemas/zod-compilers.ts';
import { createUnreadableReplier, type LogUnreadable } from './unreadable-request.ts';

export type HttpServerOptions = ConnectionBounds & {
  readonly bodyLimitBytes: number;
  /** Body limits of single routes, by path. */
  readonly routeBodyLimitBytes: Readonly<Record<string, number>>;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly drainTimeoutMs: number;
  /** Origins of browsers that may read responses; empty: none. */
  readonly corsOrigins: readonly string[];
};

/** The export of a file in http/routes: adds its endpoints. */
export type RegisterRoutes = (app: FastifyInstance) => void;

export type HttpServerParts = {
  /** Undefined for a role that does not serve the AI endpoints. */
  readonly native: NativeHandler | undefined;
  readonly replyError: ErrorReplier;
  readonly logUnreadable: LogUnreadable;
  /** The caller of a request that no route takes, if its key is known without a lookup. */
  readonly knownCaller: (headers: IncomingHttpHeaders) => Principal | undefined;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly idempotency: IdempotentRoutes;
  readonly quota: BodyQuota;
  readonly intake: BodyIntake;
  readonly routes: readonly RegisterRoutes[];
  readonly options: HttpServerOptions;
};

export async function createHttpServer(parts: HttpServerParts): Promise<HttpServer> {
  const draining: Draining = { isOn: false, lastRequestAtMs: 0 };
  const routing = routerParts(parts);
  const app = Fastify({
    serverFactory: (handler) => createListener(parts, routing, handler, draining),
    bodyLimit: parts.options.bodyLimitBytes,
    requestTimeout: parts.options.requestTimeoutMs,
    genReqId: () => parts.newId('req'),
    exposeHeadRoutes: true,
    schemaController: NO_OWN_COMPILERS,
    // Ids have up to 200 characters; the schemas of the routes check them.
    routerOptions: { maxParamLength: 600 },
    logger: false,
    // A path that cannot be decoded fails before any route.
    frameworkErrors: (error, request, reply) =>
      failRequest(
        parts,
        request,
        reply,
        fromFrameworkError(error),
        errorFormat(routing.methods, request.raw),
      ),
    clientErrorHandler: createUnreadableReplier(parts.newId, parts.clock, parts.logUnreadable),
  });
  readJsonBodies(app);
  useZod(app);
  app.addHook('onRoute', (route) => {
    limitBody(route, parts.options);
    routing.methods.add(route.method, route.url);
  });
  app.addHook('onRequest', async (request, reply) => {
    // Before the body is read: it may be large, and of any content type.
    if (request.is404 || isDisguised(request))
      return refuseUnserved(routing, reply.hijack().request.raw, reply.raw);
    nameRequest(request, reply);
  });
  admitBodies(app, parts.quota, parts.intake);
  boundAnswers(app, parts.quota);
  parts.idempotency.register(app);
  app.setErrorHandler((error, request, reply) =>
    failRequest(parts, request, reply, fromFrameworkError(error, request.routeOptions.bodyLimit)),
  );
  registerDocument(app, () => generateDocument(parts.routes), parts.native !== undefined);
  for (const register of parts.routes) register(app);
  await app.ready();
  return createServerListener(app, {
    ...parts,
    draining,
    refuseClosing: (request, response) =>
      routing.refuse(request, response, drainRefusal(), errorFormat(routing.methods, request)),
  });
}

function createListener(
  { options, newId, clock }: HttpServerParts,
  routing: RequestRouterParts,
  handler: RequestListener,
  draining: Draining,
): Server {
  const route = createRequestRouter(routing, handler);
  const cors = createCors(options.corsOrigins);
  const refusePipelined = createPipelineBound();
  const serve: RequestListener = (request, response) => {
    if (refusePipelined(request, response)) return;
    if (lacksHost(request)) return refuseWithoutHost(routing, request, response);
    if (draining.isOn) {
      // The caller's next request then opens a new connection, to another server.
      response.setHeader('connection', 'close');
      if (!request.url?.startsWith('/health')) draining.lastRequestAtMs = clock.monotonic();
    }
    if (cors?.(request, response)) return;
    route(request, response);
  };
  const settings = {
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    // Node would answer without an error, and without a bound on pipelined requests: `refuseWithoutHost` answers.
    requireHostHeader: false,
    noDelay: true,
    // A stream may be silent for minutes: TCP probes find a dead caller and keep the connection known to NAT devices.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  const server = createServer(settings, serve);
  // Node would refuse an unknown expectation with 417 and no error; a server may ignore it (RFC 9110, section 10.1.1).
  server.on('checkExpectation', serve);
  limitConnections(server, options, { newId, clock });
  return server;
}

/** Paths have the spelling of the documentation: `/v1/jobs/{id}`. */
function limitBody(route: RouteOptions, { routeBodyLimitBytes }: HttpServerOptions): void {
  const limitBytes = routeBodyLimitBytes[route.url.replace(/:(\w+)/g, '{$1}')];
  if (limitBytes !== undefined) route.bodyLimit = limitBytes;
}

/** `/%61dmin`: the router decodes it, and a reverse proxy with a rule about `/admin` may not. */
function isDisguised({ raw: { url = '' }, routeOptions }: FastifyRequest): boolean {
  if (!url.includes('%')) return false;
  const [fixed = ''] = (routeOptions.url ?? '').split(/[:*]/, 1);
  return !url.startsWith(fixed);
}

function nameRequest(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('request-id', request.id);
  const correlationId = readCorrelationId(request.headers);
  if (correlationId !== undefined) reply.header('x-correlation-id', correlationId);
}

function routerParts(parts: HttpServerParts): RequestRouterParts {
  const { native, replyError, newId, knownCaller } = parts;
  const refuse: Refuse = (request, response, error, format) =>
    replyError({
      error,
      format,
      requestId: newId('req'),
      request,
      response,
      principal: knownCaller(request.headers),
      isBegun: false,
      isRefusal: true,
      isCounted: true,
    });
  return { native, methods: createServedMethods(native !== undefined), refuse };
}
