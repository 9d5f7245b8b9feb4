// Opens the HTTP server of a process: authentication, the handler of the AI endpoints, the routes and the dashboard. A
// dispatcher or worker has only the routes for health, cluster and metrics. Live streams are closed before the server,
// which waits for requests in flight and would wait for them forever.

import type { Config } from '../config/config.ts';
import { type AdmitJob, createAdmitJob } from '../flow/jobs/admit-job.ts';
import { createForeseeRefusal } from '../flow/serve/foresee-refusal.ts';
import { createOwnReads } from '../flow/serve/own-reads.ts';
import type { ServeCallParts } from '../flow/serve/serve-call.ts';
import { createGate, type GuessLimits } from '../http/authenticate.ts';
import { readCredential } from '../http/credential.ts';
import { createHttpServer } from '../http/http-server.ts';
import { createIdempotentRoutes } from '../http/idempotent-routes.ts';
import { createNativeHandler } from '../http/native-handler.ts';
import { createRefusalMetric } from '../http/refusal-metric.ts';
import { createErrorReplier, type ErrorReplier } from '../http/reply-error.ts';
import { traceRequests } from '../http/request-span.ts';
import { clusterReadingRoutes } from '../http/routes/cluster.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { metricsRoutes } from '../http/routes/metrics.ts';
import type { SimulatorControl } from '../http/routes/simulator.ts';
import { createUnreadableLog } from '../http/unreadable-request.ts';
import { newId } from '../kernel/ids.ts';
import { createProviderStrategy } from '../routing/provider-strategy.ts';
import { openDashboard } from './dashboard/open-dashboard.ts';
import { gatewayRoutes } from './gateway-routes.ts';
import { openBodyIntake } from './open/open-body-intake.ts';
import { openEvents } from './open/open-events.ts';
import { openServableModels } from './open/open-models.ts';
import { openPages } from './open/open-pages.ts';
import { openRefusalLimits } from './open/open-refusal-limits.ts';
import type { Infrastructure } from './open-infrastructure.ts';
import type { Services } from './open-services.ts';

/** `simulator`: controls the simulator that stands in for the providers, if it does. */
export async function openHttp(
  config: Config,
  infrastructure: Infrastructure,
  services: Services,
  simulator: SimulatorControl | undefined,
) {
  const { identity, keyring, store, metrics, tracer, failures } = infrastructure;
  const { roles, clock, log, lifecycle } = infrastructure;
  const { cluster, alerts } = services;
  const refusals = openRefusalLimits(config, { clock, log });
  const pages = openPages(config, { adminKey: identity.adminKey, refusals, clock });
  const gate = createGate(keyring, identity.adminKey, refusals, pages.sessions);
  const replyError = openErrorReplier(infrastructure, refusals);
  const { limits } = services.serve;
  const { redact } = failures;
  const reads = createOwnReads();
  const events = openEvents(config, { store, limits, gate, reads, redact, clock, log, lifecycle });
  const admitJob = openAdmitJob(config, infrastructure, services);
  const serve = serveCallParts(infrastructure, services, admitJob);
  const models = openServableModels(config, serve.meter);
  const { recentLog } = infrastructure.shared;
  const views = { ...infrastructure, ...failures, recentLog, cluster, models, simulator };
  const dashboard = openDashboard(config, { ...views, serve, gate });
  const bodies = openBodyIntake(config, { clock, lifecycle });
  const { operations: jobOperations } = services.jobs;
  const routed = {
    infrastructure,
    serve,
    gate,
    reads,
    replyError,
    jobOperations,
    admitJob,
    models,
    cluster,
  };
  const routes = roles.isGateway
    ? gatewayRoutes(config, { ...routed, events, alerts, pages, dashboard, simulator })
    : [];
  const { bodyLimitBytes, routeBodyLimitBytes } = config.server;
  const native = roles.isGateway
    ? createNativeHandler({
        ...bodies,
        bodyLimitBytes,
        routeBodyLimitBytes,
        keyring,
        interServer: services.forwarding.interServer,
        serve,
        replyError,
        foreseeRefusal: createForeseeRefusal(services.serve),
        refusals: refusals.keys,
        clock,
        newId,
      })
    : undefined;
  const http = await createHttpServer({
    ...bodies,
    native,
    replyError,
    logUnreadable: createUnreadableLog(log, refusals.keys),
    knownCaller: (headers) => keyring.known(readCredential(headers) ?? ''),
    newId,
    clock,
    idempotency: createIdempotentRoutes({ store: store.idempotency, clock, log }),
    options: config.server,
    routes: [
      ...(tracer ? [traceRequests(tracer, clock)] : []),
      healthRoutes(services.readiness),
      clusterReadingRoutes(cluster.readings, gate),
      metricsRoutes(metrics, gate),
      ...routes,
    ],
  });
  lifecycle.onClose('http', () => http.close());
  lifecycle.onClose('live readers', () => dashboard.endLive().then(() => events.endLive()));
  return { http, replyError };
}

function openErrorReplier(infrastructure: Infrastructure, { keys }: GuessLimits): ErrorReplier {
  const { store, failures, metrics, clock, log } = infrastructure;
  return createErrorReplier(clock, log, {
    failures,
    canQueue: () => store.lockState() === 'locked',
    refusals: keys,
    onRefused: createRefusalMetric(metrics),
  });
}

function openAdmitJob(config: Config, { shared }: Infrastructure, { serve }: Services): AdmitJob {
  return createAdmitJob({
    limiter: shared.rateLimiter,
    candidates: {
      providers: new Map(Object.entries(config.providers)),
      resolveTargets: serve.resolveTargets,
      chooseOrder: createProviderStrategy(config.dispatcher),
    },
  });
}

function serveCallParts(
  { serverId, store, clock, log }: Infrastructure,
  { serve, jobs, forwarding }: Services,
  admit: AdmitJob,
): ServeCallParts {
  return {
    ...serve,
    once: { store: store.idempotency, clock, log },
    stale: { answers: store.staleAnswers, clock, serverId },
    queue: { ...jobs.operations, admit, serverId },
    forward: forwarding.forward,
  };
}
