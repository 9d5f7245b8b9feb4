// The composition root: configuration → adapters → flow → HTTP. Only app/ connects adapters to ports. `close` closes
// everything in reverse order of opening.

import type { Config } from '../config/config.ts';
import { createAdmitJob } from '../flow/jobs/admit-job.ts';
import { createForeseeRefusal } from '../flow/serve/foresee-refusal.ts';
import type { ServeCallParts } from '../flow/serve/serve-call.ts';
import { createGate } from '../http/authenticate.ts';
import { readCredential } from '../http/credential.ts';
import { createHttpServer } from '../http/http-server.ts';
import { createIdempotentRoutes } from '../http/idempotent-routes.ts';
import { createNativeHandler, type NativeHandler } from '../http/native-handler.ts';
import { createRefusalCount } from '../http/refusal-count.ts';
import { createErrorReplier } from '../http/reply-error.ts';
import { traceRequests } from '../http/request-span.ts';
import { clusterReadingRoutes } from '../http/routes/cluster.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { metricsRoutes } from '../http/routes/metrics.ts';
import type { SimulatorControl } from '../http/routes/simulator.ts';
import { createUnreadableLog } from '../http/unreadable-request.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { createLifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { createProviderStrategy } from '../routing/provider-strategy.ts';
import { openAlerts } from './alerts/open-alerts.ts';
import { createAnnounce } from './cluster/announce-server.ts';
import { createDrainControl } from './cluster/drain-control.ts';
import { dependenciesOf, openCluster } from './cluster/open-cluster.ts';
import { openForwarding } from './cluster/open-forwarding.ts';
import { openDashboard } from './dashboard/open-dashboard.ts';
import type { Gateway } from './gateway.ts';
import { gatewayRoutes } from './gateway-routes.ts';
import { openJobs } from './jobs/open-jobs.ts';
import { openBodyIntake } from './open/open-body-intake.ts';
import { openCalls } from './open/open-calls.ts';
import { openCallbacks, openEgress } from './open/open-egress.ts';
import { openEvents } from './open/open-events.ts';
import { openIdempotency } from './open/open-idempotency.ts';
import { openServableModels } from './open/open-models.ts';
import { openPages } from './open/open-pages.ts';
import { openRefusalLimits } from './open/open-refusal-limits.ts';
import { type InfrastructureContext, openInfrastructure } from './open-infrastructure.ts';
import { openOwnRoutes } from './own-routes/open-own-routes.ts';
import { createReadiness } from './readiness.ts';
import { ALL_ROLES, type Roles } from './roles.ts';
import { watchProcess } from './telemetry/watch-process.ts';

export type { Gateway } from './gateway.ts';

/** `simulator`: controls the simulator that stands in for the providers, if it does. `lines`: a log in place of stdout. */
export async function createGateway(
  config: Config,
  roles: Roles = ALL_ROLES,
  clock: Clock = systemClock,
  simulator?: SimulatorControl,
  lines?: Log,
): Promise<Gateway> {
  const lifecycle = createLifecycle();
  try {
    return await compose(config, { roles, clock, lifecycle, lines }, simulator);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function compose(
  config: Config,
  context: InfrastructureContext,
  simulator: SimulatorControl | undefined,
): Promise<Gateway> {
  const infrastructure = await openInfrastructure(config, context);
  const { identity, serverId, log, metrics, store, queues, shared, membership } = infrastructure;
  const { keyring, failures, performance, tracer, sampler, roles, clock, lifecycle } =
    infrastructure;
  const calls = await openCalls(config, infrastructure);
  const { limits } = calls;
  const serve = { ...calls, failures };
  const egress = openEgress(config, lifecycle);
  const jobsContext = { store, queues, serve, egress, serverId, clock, log, metrics, lifecycle };
  const jobs = await openJobs(config, jobsContext, roles);
  const { desk } = jobs;
  openCallbacks({ store, egress, clock, log, lifecycle }, roles);
  openIdempotency({ stores: [store.idempotency, store.staleAnswers], clock, log, lifecycle });
  const readiness = createReadiness({ meter: serve.meter, store, engines: [queues, shared] });
  const cluster = openCluster(config, {
    ...infrastructure,
    serve,
    jobs,
    readiness,
  });
  const dependencies = dependenciesOf({ store, shared, queues });
  const { limiterFigures } = shared;
  watchProcess({ metrics, performance, dependencies, limiterFigures, clock, lifecycle });
  const alerts = openAlerts(config, {
    ...infrastructure,
    directory: cluster.directory,
    registry: membership.registry,
    dependencies,
  });
  const { self } = membership;
  const forwardingContext = { self, cluster, serve, readiness, clock, log, lifecycle };
  const forwarding = openForwarding(config, forwardingContext);
  const { interServer, forward } = forwarding;
  const refusals = openRefusalLimits(config, { clock, log });
  const { adminKey } = identity;
  const pages = openPages(config, { adminKey, refusals, clock });
  const gate = createGate(keyring, adminKey, refusals, pages.sessions);
  const replyError = createErrorReplier(clock, log, {
    failures,
    canQueue: () => store.lockState() === 'locked',
    refusals: refusals.keys,
    onRefused: createRefusalCount(metrics),
  });
  const { redact } = failures;
  const events = openEvents(config, { store, limits, gate, redact, clock, log, lifecycle });

  const admitJob = createAdmitJob({
    limiter: shared.rateLimiter,
    candidates: {
      providers: new Map(Object.entries(config.providers)),
      resolveTargets: serve.resolveTargets,
      chooseOrder: createProviderStrategy(config.dispatcher),
    },
  });
  const serveCalls: ServeCallParts = {
    ...serve,
    once: { store: store.idempotency, clock, log },
    stale: { answers: store.staleAnswers, clock, serverId },
    queue: { ...desk, admit: admitJob, serverId },
    forward,
  };
  const models = openServableModels(config, serve.meter);
  const { recentLog } = shared;
  const views = { serverId, store, sampler, cluster, queues, recentLog, simulator, models };
  const reading = { ...views, ...failures, serve: serveCalls, gate, clock, log, lifecycle };
  const dashboard = openDashboard(config, reading);
  const { quota, intake } = openBodyIntake(config, { clock, lifecycle });
  const native: NativeHandler | undefined = roles.isGateway
    ? createNativeHandler({
        keyring,
        interServer,
        serve: serveCalls,
        replyError,
        quota,
        intake,
        foreseeRefusal: createForeseeRefusal(serve),
        refusals: refusals.keys,
        bodyLimitBytes: config.server.bodyLimitBytes,
        routeBodyLimitBytes: config.server.routeBodyLimitBytes,
        clock,
        newId,
      })
    : undefined;
  const routeParts = {
    infrastructure,
    serve: serveCalls,
    gate,
    replyError,
    desk,
    admitJob,
    models,
    cluster,
    events,
    alerts,
    pages,
    dashboard,
    simulator,
  };
  const http = await createHttpServer({
    native,
    replyError,
    logUnreadable: createUnreadableLog(log, refusals.keys),
    knownCaller: (headers) => keyring.known(readCredential(headers) ?? ''),
    newId,
    clock,
    idempotency: createIdempotentRoutes({ store: store.idempotency, clock, log }),
    quota,
    intake,
    options: config.server,
    routes: [
      ...(tracer ? [traceRequests(tracer, clock)] : []),
      healthRoutes(readiness),
      clusterReadingRoutes(cluster.readings, gate),
      metricsRoutes(metrics, gate),
      ...(roles.isGateway ? gatewayRoutes(config, routeParts) : []),
    ],
  });
  lifecycle.onClose('http', () => http.close());
  const { pipeline } = jobs;
  const { slots } = serve;
  const drainControl = createDrainControl({ readiness, slots, http, pipeline, clock, log });
  membership.connect({ describe: () => cluster.facts.record(), ...drainControl });
  // Closed before the server, which waits for requests in flight: event streams would never end.
  lifecycle.onClose('live readers', () => dashboard.endLive().then(() => events.endLive()));

  const announce = createAnnounce(infrastructure);

  return {
    identity,
    metrics,
    handle: http.handle,
    ownRoutes: openOwnRoutes({
      ...cluster,
      identity,
      serve,
      keyring,
      readiness,
      forwarding,
      replyError,
    }),
    announce,
    async listen() {
      // A dispatcher or worker listens only on an explicit port.
      if (!roles.isGateway && !config.server.isPortSet) return undefined;
      const url = await http.listen(config.server.host, config.server.port);
      await announce(url);
      return url;
    },
    close() {
      readiness.stop();
      // Other servers route no request here from now on.
      void membership.announce();
      return lifecycle.close();
    },
  };
}
