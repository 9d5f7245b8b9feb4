// The composition root: configuration → adapters → flow → HTTP. Only app/ connects adapters to ports. `close` closes
// everything in reverse order of opening.

import { openDataFolder } from '../adapters/files/data-folder.ts';
import { createLogRing, type LogRing } from '../adapters/memory/log-ring.ts';
import { createStdoutLog } from '../adapters/stdout/log.ts';
import type { Config } from '../config/config.ts';
import { createAdmitJob } from '../flow/jobs/admit-job.ts';
import { createForeseeRefusal } from '../flow/serve/foresee-refusal.ts';
import { createGate } from '../http/authenticate.ts';
import { readCredential } from '../http/credential.ts';
import { createHttpServer, type RegisterRoutes } from '../http/http-server.ts';
import { createIdempotentRoutes } from '../http/idempotent-routes.ts';
import { createNativeHandler, type NativeHandler } from '../http/native-handler.ts';
import { createErrorReplier } from '../http/reply-error.ts';
import { budgetRoutes } from '../http/routes/budget.ts';
import { clusterReadingRoutes, serverModeRoutes } from '../http/routes/cluster.ts';
import { deadLetterRoutes } from '../http/routes/dead-letters.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { jobRoutes } from '../http/routes/jobs.ts';
import { metricsRoutes } from '../http/routes/metrics.ts';
import { modelRoutes } from '../http/routes/models.ts';
import { type SimulatorControl, simulatorRoutes } from '../http/routes/simulator.ts';
import { startPageRoutes } from '../http/routes/start-page.ts';
import { createUnreadableLog } from '../http/unreadable-request.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '../kernel/lifecycle.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { createProviderStrategy } from '../routing/provider-strategy.ts';
import { openAdministration } from './administration.ts';
import { createDrainControl } from './cluster/drain-control.ts';
import { openCluster } from './cluster/open-cluster.ts';
import { openForwarding } from './cluster/open-forwarding.ts';
import { openMembership } from './cluster/open-membership.ts';
import { type Identity, loadIdentity } from './identity.ts';
import { openJobs } from './jobs/open-jobs.ts';
import { openQueues } from './jobs/open-queue.ts';
import { openBodyIntake } from './open/open-body-intake.ts';
import { openCalls } from './open/open-calls.ts';
import { openCallbacks, openEgress } from './open/open-egress.ts';
import { openEvents } from './open/open-events.ts';
import { openFailureRecorder } from './open/open-failure-recorder.ts';
import { openIdempotency } from './open/open-idempotency.ts';
import { openKeyring } from './open/open-keyring.ts';
import { openServableModels } from './open/open-models.ts';
import { openRefusalLimits } from './open/open-refusal-limits.ts';
import { openSharedState } from './open/open-shared-state.ts';
import { lockDataFolder, openStore } from './open/open-store.ts';
import { createReadiness } from './readiness.ts';
import { ALL_ROLES, type Roles } from './roles.ts';

const LOG_RING_ENTRIES = 1000;

export type Gateway = {
  readonly identity: Identity;
  /** Resolves to the URL it listens on; undefined for a role that does not listen. */
  listen(): Promise<string | undefined>;
  /** Idempotent: drains, then closes everything in reverse order of opening. */
  close(): Promise<void>;
};

/** `simulator`: controls the simulator that stands in for the providers, if it does. */
export async function createGateway(
  config: Config,
  roles: Roles = ALL_ROLES,
  clock: Clock = systemClock,
  simulator?: SimulatorControl,
): Promise<Gateway> {
  const lifecycle = createLifecycle();
  try {
    return await compose(config, roles, clock, lifecycle, simulator);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function compose(
  config: Config,
  roles: Roles,
  clock: Clock,
  lifecycle: Lifecycle,
  simulator: SimulatorControl | undefined,
): Promise<Gateway> {
  const { dataDir } = config.storage;
  const folder = openDataFolder(dataDir);
  lockDataFolder(dataDir, lifecycle);
  const identity = loadIdentity(config, folder);
  const { serverId } = identity;
  const ring = openLog(config, identity, clock, lifecycle);
  const { log } = ring;
  const { unownedOrganization } = config.events;
  const store = await openStore({ ...config.storage, unownedOrganization, clock, log, lifecycle });
  const queues = await openQueues(config, { store, clock, log, lifecycle });
  const metrics = createMetrics();
  const { storeId } = store.identity;
  const sharedParts = { ring, serverId, storeId, clock, metrics, lifecycle };
  const shared = await openSharedState(config, sharedParts);
  const { recentLog } = shared;
  const clusterContext = { serverId, shared, roles, clock, log, lifecycle };
  const membership = await openMembership(config, clusterContext);
  const { keyring, callers } = await openKeyring(config, { identity, store, clock, lifecycle });
  const failures = await openFailureRecorder(config, { identity, shared, lifecycle });
  const callContext = { serverId, store, shared, metrics, clock, log, lifecycle };
  const calls = await openCalls(config, callContext);
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
    ...clusterContext,
    membership,
    serve,
    store,
    queues,
    jobs,
    readiness,
    metrics,
  });
  const { self } = membership;
  const forwardingContext = { self, cluster, serve, readiness, clock, log, lifecycle };
  const { interServer, forward } = openForwarding(config, forwardingContext);
  const refusals = openRefusalLimits(config, { clock, log });
  const gate = createGate(keyring, identity.adminKey, refusals);
  const replyError = createErrorReplier(clock, log, {
    failures,
    canQueue: () => store.lockState() === 'locked',
    refusals: refusals.keys,
  });
  const { redact } = failures;
  const events = openEvents(config, { store, limits, gate, redact, clock, log, lifecycle });

  function gatewayRoutes(): readonly RegisterRoutes[] {
    const { breakers } = serve;
    const running = { limits, breakers, recentLog, requestRecords: failures.records };
    const { routes, auditor } = openAdministration({
      config,
      store,
      clock,
      log,
      gate,
      callers,
      unfinishedJobs: desk.unfinished,
      running,
    });
    const { history, deadLetters } = store;
    return [
      ...routes,
      serverModeRoutes(cluster.setMode(auditor), gate),
      ...(simulator ? [simulatorRoutes(simulator, gate)] : []),
      budgetRoutes({ ...serve, organizations: store.organizations, gate }),
      jobRoutes({ desk, jobs: store.jobs, history, gate, clock, admit: admitJob }),
      ...events.routes,
      deadLetterRoutes({ desk, deadLetters, gate, auditor }),
      modelRoutes({ models: openServableModels(config, serve.meter), gate, replyError }),
      startPageRoutes(),
    ];
  }

  const admitJob = createAdmitJob({
    limiter: shared.rateLimiter,
    candidates: {
      providers: new Map(Object.entries(config.providers)),
      resolveTargets: serve.resolveTargets,
      chooseOrder: createProviderStrategy(config.dispatcher),
    },
  });
  const { quota, intake } = openBodyIntake(config, { clock, lifecycle });
  const native: NativeHandler | undefined = roles.isGateway
    ? createNativeHandler({
        keyring,
        interServer,
        serve: {
          ...serve,
          once: { store: store.idempotency, clock, log },
          stale: { answers: store.staleAnswers, clock, serverId: serve.serverId },
          queue: { ...desk, admit: admitJob, serverId: serve.serverId },
          forward,
        },
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
      healthRoutes(readiness),
      clusterReadingRoutes(cluster.readings, gate),
      metricsRoutes(metrics, gate),
      ...(roles.isGateway ? gatewayRoutes() : []),
    ],
  });
  lifecycle.onClose('http', () => http.close());
  const { pipeline } = jobs;
  const { slots } = serve;
  const drainControl = createDrainControl({ readiness, slots, http, pipeline, clock, log });
  membership.connect({ describe: () => cluster.facts.record(), ...drainControl });
  // Closed before the server, which waits for requests in flight: event streams would never end.
  lifecycle.onClose('live readers', () => events.endLive());

  return {
    identity,
    async listen() {
      // A dispatcher or worker listens only on an explicit port.
      if (!roles.isGateway && !config.server.isPortSet) return undefined;
      const url = await http.listen(config.server.host, config.server.port);
      await membership.listening(url);
      folder.announce({ url, pid: process.pid });
      lifecycle.onClose('announcement', () => folder.withdraw());
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

function openLog(config: Config, identity: Identity, clock: Clock, lifecycle: Lifecycle): LogRing {
  const lines = createStdoutLog({ level: config.log.level, serverId: identity.serverId });
  const ring = createLogRing(lines, clock, LOG_RING_ENTRIES);
  lifecycle.onClose('log', () => ring.log.flush());
  return ring;
}
