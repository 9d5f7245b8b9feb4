// Opens the parts that every other part of a server uses: data folder and identity, log, metrics and traces, the store, the
// queues, the state that servers share, the membership in the cluster, and the keys of callers. An unavailable store fails the
// start; an unavailable Redis or RabbitMQ does not.

import { openDataFolder } from '../adapters/files/data-folder.ts';
import type { Config } from '../config/config.ts';
import { createPerformanceLog } from '../flow/telemetry/performance-log.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { openMembership } from './cluster/open-membership.ts';
import { countSubmissions } from './dashboard/count-submissions.ts';
import { openSeries } from './dashboard/open-series.ts';
import { loadIdentity } from './identity.ts';
import { openQueues } from './jobs/open-queue.ts';
import { openFailureRecorder } from './open/open-failure-recorder.ts';
import { openFailureReports } from './open/open-failure-reports.ts';
import { openKeyring } from './open/open-keyring.ts';
import { openSharedState } from './open/open-shared-state.ts';
import { lockDataFolder, openStore } from './open/open-store.ts';
import { openLog } from './open-log.ts';
import type { Roles } from './roles.ts';
import { openTracing } from './telemetry/open-tracing.ts';

export type InfrastructureContext = {
  readonly roles: Roles;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** A log in place of stdout. */
  readonly lines: Log | undefined;
};

export type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>;

export async function openInfrastructure(config: Config, context: InfrastructureContext) {
  const { roles, clock, lifecycle, lines } = context;
  const { dataDir } = config.storage;
  const folder = openDataFolder(dataDir);
  lockDataFolder(dataDir, lifecycle);
  const identity = loadIdentity(config, folder);
  const { serverId } = identity;
  const ring = openLog(config, { serverId, clock, lifecycle, lines });
  const log = await openFailureReports(config, ring.log, { serverId, clock, lifecycle });
  const { unownedOrganization } = config.events;
  const metrics = createMetrics();
  const storeParts = { ...config.storage, unownedOrganization, clock, log, lifecycle };
  const store = countSubmissions(await openStore(storeParts), metrics);
  const queues = await openQueues(config, { store, clock, log, lifecycle });
  const { storeId } = store.identity;
  const sharedParts = { ring, serverId, storeId, clock, metrics, lifecycle };
  const shared = await openSharedState(config, sharedParts);
  const sampler = openSeries(config, { serverId, store, metrics, clock, log, lifecycle });
  const membershipContext = { serverId, shared, roles, clock, log, lifecycle };
  const membership = await openMembership(config, membershipContext);
  const { keyring, callers } = await openKeyring(config, { identity, store, clock, lifecycle });
  const failures = await openFailureRecorder(config, { identity, shared, lifecycle });
  const performance = createPerformanceLog(log, clock, config.log);
  const tracer = await openTracing(config, { serverId, metrics, clock, lifecycle });
  return {
    roles,
    clock,
    lifecycle,
    folder,
    identity,
    serverId,
    log,
    metrics,
    store,
    queues,
    shared,
    sampler,
    membership,
    keyring,
    callers,
    failures,
    performance,
    tracer,
  };
}
