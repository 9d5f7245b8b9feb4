// The composition root: configuration → adapters → flow → HTTP. It is the only place that knows which
// adapter stands behind which port. What is opened here is closed in reverse order by `close`.

import { join } from 'node:path';
import { openDataFolder } from '../adapters/files/data-folder.ts';
import { openFileJournal } from '../adapters/files/journal.ts';
import { createLogRing, type LogRing } from '../adapters/memory/log-ring.ts';
import { createMemoryProviderLimits } from '../adapters/memory/provider-limits.ts';
import { createPinoLog } from '../adapters/pino/log.ts';
import { createUndiciUpstream } from '../adapters/undici/upstream.ts';
import { createKeyring, type Keyring } from '../admission/keyring.ts';
import { ensureDefaultOrganization } from '../admission/organization-store.ts';
import type { Config } from '../config/config.ts';
import { createCallMetrics } from '../flow/call-metrics.ts';
import type { ServeParts } from '../flow/serve-request.ts';
import { createGate } from '../http/authenticate.ts';
import { createHttpServer } from '../http/http-server.ts';
import { createNativeHandler } from '../http/native-handler.ts';
import { createErrorReplier } from '../http/reply-error.ts';
import { deadLetterRoutes } from '../http/routes/dead-letters.ts';
import { frontPageRoutes } from '../http/routes/front-page.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { jobRoutes } from '../http/routes/jobs.ts';
import { metricsRoutes } from '../http/routes/metrics.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { createMetrics, type Metrics } from '../kernel/metrics.ts';
import { createWatch } from '../kernel/watch.ts';
import { createUsageDrain } from '../metering/drain-usage.ts';
import { createMeter, type Meter } from '../metering/meter.ts';
import { createPriceBook } from '../metering/price-book.ts';
import {
  decodeUsageRecord,
  encodeUsageRecord,
  type UsageRecord,
} from '../metering/usage-record.ts';
import { createModelResolver } from '../routing/resolve-model.ts';
import { type CallerMemory, openAdministration } from './administration.ts';
import { type Identity, loadIdentity } from './identity.ts';
import { openJobs } from './open-jobs.ts';
import { holdFolder, openStore, type Store } from './open-store.ts';
import { operatorPrincipal } from './operator-principal.ts';
import { createIsReasoning } from './reasoning-models.ts';

const LOG_RING_ENTRIES = 1000;
/** A unary answer is gathered before it is passed on, so it must have an end. */
const LARGEST_ANSWER_BYTES = 64 * 2 ** 20;

export type Gateway = {
  readonly identity: Identity;
  /** Resolves to the URL it listens on. */
  listen(): Promise<string>;
  /** Idempotent: drains, then closes everything in reverse order of opening. */
  close(): Promise<void>;
};

export async function createGateway(config: Config, clock: Clock = systemClock): Promise<Gateway> {
  const lifecycle = createLifecycle();
  try {
    return await compose(config, clock, lifecycle);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function compose(config: Config, clock: Clock, lifecycle: Lifecycle): Promise<Gateway> {
  const { dataDir } = config.storage;
  const folder = openDataFolder(dataDir);
  holdFolder(dataDir, lifecycle);
  const identity = loadIdentity(config, folder);
  const ring = openLog(config, identity, clock, lifecycle);
  const { log } = ring;
  const store = await openStore({ ...config.storage, clock, log, lifecycle });
  const metrics = createMetrics();
  const { keyring, callers } = await openKeyring(config, identity, store, clock);
  const meter = openMeter(config, store, clock, log, lifecycle);
  const replyError = createErrorReplier(clock, log);
  const gate = createGate(keyring, identity.adminKey);
  const serve = openCalls(config, { identity, meter, metrics, clock, log, lifecycle });
  const running = { limits: serve.limits, recentLog: ring };
  const administration = openAdministration({ config, store, clock, log, gate, callers, running });
  const jobsContext = { store, serve, serverId: identity.serverId, clock, log, metrics, lifecycle };
  const desk = await openJobs(config, jobsContext);
  const readiness = { isListening: false, isDraining: false };
  const http = await createHttpServer({
    native: createNativeHandler({
      keyring,
      serve,
      replyError,
      bodyLimitBytes: config.server.bodyLimitBytes,
      clock,
      newId,
    }),
    replyError,
    newId,
    clock,
    options: config.server,
    routes: [
      healthRoutes({
        notReadyBecause() {
          if (readiness.isDraining) return 'draining';
          return meter.isReady() ? undefined : 'unhealthy';
        },
      }),
      metricsRoutes(metrics, gate),
      ...administration.routes,
      jobRoutes({
        desk,
        jobs: store.jobs,
        history: store.history,
        gate,
        clock,
      }),
      deadLetterRoutes({
        desk,
        deadLetters: store.deadLetters,
        gate,
        auditor: administration.auditor,
      }),
      frontPageRoutes(),
    ],
  });
  lifecycle.onClose('http', () => http.close());

  return {
    identity,
    async listen() {
      const url = await http.listen(config.server.host, config.server.port);
      folder.announce({ url, pid: process.pid });
      lifecycle.onClose('announcement', () => folder.withdraw());
      return url;
    },
    close() {
      readiness.isDraining = true;
      return lifecycle.close();
    },
  };
}

function openLog(config: Config, identity: Identity, clock: Clock, lifecycle: Lifecycle): LogRing {
  const lines = createPinoLog({ level: config.log.level, serverId: identity.serverId });
  const ring = createLogRing(lines, clock, LOG_RING_ENTRIES);
  lifecycle.onClose('log', () => ring.log.flush());
  return ring;
}

async function openKeyring(
  config: Config,
  identity: Identity,
  store: Store,
  clock: Clock,
): Promise<{ keyring: Keyring; callers: CallerMemory }> {
  let organization = await ensureDefaultOrganization(store.organizations, clock.now());
  const { apiKey } = identity;
  const keyring = createKeyring({
    store: store.keys,
    hashKey: config.auth.hashKey ?? store.identity.hashKey,
    clock,
    ...(apiKey === undefined
      ? {}
      : { operator: { key: apiKey, principal: () => operatorPrincipal(organization) } }),
  });
  const callers: CallerMemory = {
    organizationChanged(changed) {
      if (changed.id === organization.id) organization = changed;
      keyring.forget();
    },
    keyRevoked: (hash) => keyring.forget(hash),
  };
  return { keyring, callers };
}

function openMeter(
  config: Config,
  store: Store,
  clock: Clock,
  log: Log,
  lifecycle: Lifecycle,
): Meter {
  const journal = openFileJournal<UsageRecord>({
    folder: join(config.storage.dataDir, 'journal'),
    clock,
    encode: encodeUsageRecord,
    decode: decodeUsageRecord,
    segmentBytes: config.journal.segmentBytes,
    onWritableChange: (isWritable) => tellWritable(log, isWritable),
  });
  lifecycle.onClose('journal', () => journal.close());
  const drain = createUsageDrain({ journal, store: store.usage, clock, log });
  lifecycle.onClose('usage drain', () => drain.close());
  drain.wake();
  const prices = createPriceBook({});
  // Now rather than with the first request, which would wait for it.
  prices.load();
  return createMeter({
    journal,
    prices,
    clock,
    onRecorded: () => drain.wake(),
  });
}

function tellWritable(log: Log, isWritable: boolean): void {
  log.write(
    isWritable
      ? { level: 'info', type: 'error', message: 'the usage journal can be written again' }
      : {
          level: 'critical',
          type: 'error',
          message: 'the usage journal cannot be written: calls are refused',
        },
  );
}

type CallContext = {
  readonly identity: Identity;
  readonly meter: Meter;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

function openCalls(config: Config, context: CallContext): ServeParts {
  const { identity, meter, metrics, clock, log, lifecycle } = context;
  const upstream = createUndiciUpstream({
    connectTimeoutMs: config.timeouts.connectMs,
    maxConnectionsPerOrigin: config.cluster.maxConcurrentBuilds,
  });
  lifecycle.onClose('upstream', () => upstream.close());
  const watch = createWatch(clock);
  lifecycle.onClose('watch', () => watch.close());
  const limits = createMemoryProviderLimits(clock);
  return {
    attempts: {
      upstream,
      clock,
      watch,
      timeouts: config.timeouts,
      maxAnswerBytes: LARGEST_ANSWER_BYTES,
      maxHeldBytes: config.streams.maxBufferBytes,
    },
    resolveModel: createModelResolver(Object.values(config.providers)),
    isReasoning: createIsReasoning(config.models),
    limits,
    meter,
    metrics: createCallMetrics(metrics),
    clock,
    log,
    serverId: identity.serverId,
  };
}
