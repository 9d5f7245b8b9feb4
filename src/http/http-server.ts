// The HTTP server: AI endpoints go to their own handler, all other requests to fastify. Both share one listener, one
// error reply and one shutdown.
//
// States: created → listening → lame duck (every response closes its connection) → draining (no new connections; requests
// in flight finish) → closed. The lame-duck phase keeps a caller's next request from crossing with the close.

import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import { Server as NetServer } from 'node:net';
import swagger from '@fastify/swagger';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
} from 'fastify-type-provider-zod';
import type { Principal } from '../admission/principal.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import type { WireFormat } from '../errors/wire-shape.ts';
import { type Clock, sleep } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import { admitBodies } from './bodies/admit-bodies.ts';
import type { BodyQuota } from './bodies/body-quota.ts';
import { readJsonBodies } from './bodies/json-body.ts';
import type { BodyIntake } from './bodies/read-body.ts';
import { type ConnectionBounds, limitConnections } from './connection-limit.ts';
import { readCorrelationId } from './correlation-id.ts';
import { fromFrameworkError } from './framework-error.ts';
import type { IdempotentRoutes } from './idempotent-routes.ts';
import type { NativeHandler } from './native-handler.ts';
import { openApiDocument } from './openapi/document-head.ts';
import { registerDocument } from './openapi/document-routes.ts';
import { createCors } from './paths/cors.ts';
import {
  createRequestRouter,
  errorFormat,
  type Refuse,
  type RequestRouterParts,
  refuseUnserved,
} from './paths/route-request.ts';
import { createServedMethods } from './paths/served-methods.ts';
import type { ErrorReplier } from './reply-error.ts';
import { createUnreadableReplier, type LogUnreadable } from './unreadable-request.ts';

/** Callers with an open connection send their next request within this time and get `Connection: close` with the response. */
const LAME_DUCK_MS = 500;
/** Load balancers may take a while to notice: the listener stays open while requests arrive, up to this time. */
const MAX_LAME_DUCK_MS = 5000;
/** A connection that was accepted last has sent its request, and needs this long to be read. */
const FIRST_REQUEST_MS = 250;

type Draining = {
  isOn: boolean;
  /** Of the last request other than a health check while draining, on the monotonic clock. */
  lastRequestAtMs: number;
};

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

export type HttpServer = {
  /** Resolves to the URL it listens on. */
  listen(host: string, port: number): Promise<string>;
  /** While on, every response closes its connection, so that callers open the next one elsewhere. */
  setDraining(isOn: boolean): void;
  /** Idempotent: refuses new connections, waits for requests in flight, and closes them after the drain timeout. */
  close(): Promise<void>;
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
    // Ids have up to 200 characters; the schemas of the routes check them.
    routerOptions: { maxParamLength: 600 },
    logger: false,
    // A path that cannot be decoded fails before any route.
    frameworkErrors: (error, request, reply) =>
      fail(
        parts,
        request,
        reply,
        fromFrameworkError(error),
        errorFormat(routing.methods, request.raw),
      ),
    clientErrorHandler: createUnreadableReplier(parts.newId, parts.clock, parts.logUnreadable),
  });
  readJsonBodies(app);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.addHook('onRoute', (route) => {
    limitBody(route, parts.options);
    routing.methods.add(route.method, route.url);
  });
  app.addHook('onRequest', async (request, reply) => {
    // Before the body is read: it may be large, and of any content type.
    if (request.is404) return refuseUnserved(routing, reply.hijack().request.raw, reply.raw);
    nameRequest(request, reply);
  });
  admitBodies(app, parts.quota, parts.intake);
  parts.idempotency.register(app);
  app.setErrorHandler((error, request, reply) =>
    fail(parts, request, reply, fromFrameworkError(error, request.routeOptions.bodyLimit)),
  );
  await app.register(swagger, { openapi: openApiDocument(), transform: jsonSchemaTransform });
  registerDocument(app, parts.native !== undefined);
  for (const register of parts.routes) register(app);
  await app.ready();
  return listenerOf(app, parts, draining);
}

function createListener(
  { options, newId, clock }: HttpServerParts,
  routing: RequestRouterParts,
  handler: RequestListener,
  draining: Draining,
): Server {
  const route = createRequestRouter(routing, handler);
  const cors = createCors(options.corsOrigins);
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      noDelay: true,
      // A stream may be silent for minutes: TCP probes find a dead caller and keep the connection known to NAT devices.
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    },
    (request, response) => {
      if (draining.isOn) {
        // The caller's next request then opens a new connection, to another server.
        response.setHeader('connection', 'close');
        if (!request.url?.startsWith('/health')) draining.lastRequestAtMs = clock.monotonic();
      }
      if (cors?.(request, response)) return;
      route(request, response);
    },
  );
  limitConnections(server, options, { newId, clock });
  return server;
}

function listenerOf(app: FastifyInstance, parts: HttpServerParts, draining: Draining): HttpServer {
  let closing: Promise<void> | undefined;

  /** Until no request has arrived for the lame-duck time. */
  async function untilQuiet(): Promise<void> {
    const { clock } = parts;
    const startedAtMs = clock.monotonic();
    do await sleep(clock, LAME_DUCK_MS);
    while (
      clock.monotonic() - draining.lastRequestAtMs < LAME_DUCK_MS &&
      clock.monotonic() - startedAtMs < MAX_LAME_DUCK_MS
    );
  }

  async function close(): Promise<void> {
    draining.isOn = true;
    if (await hasConnections(app.server)) await untilQuiet();
    await stopAccepting(app.server);
    if (await hasConnections(app.server)) await sleep(parts.clock, FIRST_REQUEST_MS);
    const cancel = parts.clock.after(parts.options.drainTimeoutMs, () =>
      app.server.closeAllConnections(),
    );
    // Closes idle connections, too.
    await app.close();
    cancel();
  }

  return {
    listen: (host, port) => app.listen({ host, port }),
    setDraining(isOn) {
      draining.isOn = isOn || closing !== undefined;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * Closes the listening socket alone: `http.Server.close` would also end connections that have not been read yet. Right after
 * the poll phase of the event loop the backlog is empty; the kernel resets connections that wait in it.
 */
function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) =>
    setImmediate(() => {
      NetServer.prototype.close.call(server);
      resolve();
    }),
  );
}

function hasConnections(server: Server): Promise<boolean> {
  return new Promise((resolve) =>
    server.getConnections((error, count) => resolve(!error && count > 0)),
  );
}

/** Paths have the spelling of the documentation: `/v1/jobs/{id}`. */
function limitBody(route: RouteOptions, { routeBodyLimitBytes }: HttpServerOptions): void {
  const limitBytes = routeBodyLimitBytes[route.url.replace(/:(\w+)/g, '{$1}')];
  if (limitBytes !== undefined) route.bodyLimit = limitBytes;
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

function fail(
  { replyError, idempotency }: HttpServerParts,
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
    isRefusal: true,
    isCounted: request.isOperator !== true && request.isAdminGuess !== true,
    beforeSend: idempotency.beforeFailure(request, error),
  });
}
