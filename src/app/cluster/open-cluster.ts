// Connects this server with the cluster: its record, the operator's mode, the readings for operators and the desired
// replicas.

import { createProcessMeter } from '../../adapters/process/process-figures.ts';
import type { Auditor } from '../../admission/administer-audit.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../admission/organization.ts';
import { clusterStatus } from '../../cluster/cluster-status.ts';
import { createRoutingStatistics } from '../../cluster/routing-statistics.ts';
import { type ProviderQueue, replicaTargets } from '../../cluster/scaling/scaling-input.ts';
import { createServerDirectory, type ServerDirectory } from '../../cluster/server-directory.ts';
import { createServerSelector, type ServerSelector } from '../../cluster/server-selector.ts';
import type { Config } from '../../config/config.ts';
import type { ServeParts } from '../../flow/serve/serve-request.ts';
import type { ClusterReadings, SetServerMode } from '../../http/routes/cluster.ts';
import { cacheReading } from '../../kernel/cached-reading.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { OpenedJobs } from '../jobs/open-jobs.ts';
import type { Queues } from '../jobs/open-queue.ts';
import type { Store } from '../open/open-store.ts';
import type { SharedState } from '../open/shared-state.ts';
import type { ServerReadiness } from '../readiness.ts';
import type { Roles } from '../roles.ts';
import { createHealthCheck, type Dependency } from './health-check.ts';
import type { OpenedMembership } from './open-membership.ts';
import { openScaling } from './open-scaling.ts';
import { createServerFacts, type KnownFacts } from './server-facts.ts';

export type ClusterContext = {
  readonly serverId: string;
  readonly membership: OpenedMembership;
  readonly serve: ServeParts;
  readonly shared: SharedState;
  readonly store: Store;
  readonly queues: Queues;
  readonly jobs: OpenedJobs;
  readonly readiness: ServerReadiness;
  readonly roles: Roles;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export type Cluster = {
  readonly directory: ServerDirectory;
  readonly selector: ServerSelector;
  readonly statistics: ReturnType<typeof createRoutingStatistics>;
  readonly facts: KnownFacts;
  readonly readings: ClusterReadings;
  setMode(auditor: Auditor): SetServerMode;
};

/** Readings are taken at most this often. */
const READING_AGE_MS = 1000;

export function openCluster(config: Config, context: ClusterContext): Cluster {
  const { membership, serverId, clock, log } = context;
  const statistics = createRoutingStatistics(context.metrics);
  const directory = createServerDirectory(membership.registry, clock);
  const facts = createServerFacts(config, {
    ...context,
    workers: context.jobs.workers,
    statistics,
  });
  const queues = () => providerQueues(config, context);
  const targets = cacheReading(clock, READING_AGE_MS, async () =>
    replicaTargets(
      await directory.snapshot(),
      await queues(),
      await facts.capacity(),
      config.scaling,
    ),
  );
  if (context.roles.isGateway)
    openScaling(config, { ...context, registry: membership.registry, targets });
  const text = (read: () => Promise<object>) =>
    cacheReading(clock, READING_AGE_MS, async () => JSON.stringify(await read()));
  return {
    directory,
    selector: createServerSelector({ directory, clock, log }),
    statistics,
    facts,
    readings: {
      health: text(openHealthCheck(config, context, facts)),
      capacity: text(async () => ({ data: await facts.capacity(), readAt: clock.now() })),
      status: text(async () =>
        clusterStatus({
          serverId,
          snapshot: await directory.snapshot(),
          capacity: await facts.capacity(),
          // If the queues cannot be read, the rest of the status is still reported.
          targets: await targets().catch(() => []),
        }),
      ),
      scaling: text(async () => ({ data: await targets(), readAt: clock.now() })),
    },
    setMode: (auditor) => async (operator, id, mode) => {
      await auditor.record(operator, { action: `server.${mode}`, target: id });
      return membership.registry.setMode(id, mode);
    },
  };
}

function openHealthCheck(
  config: Config,
  context: ClusterContext,
  facts: KnownFacts,
): () => Promise<object> {
  const { membership, serve, readiness, serverId, queues, clock, lifecycle } = context;
  const process = createProcessMeter();
  lifecycle.onClose('process meter', () => process.close());
  return createHealthCheck({
    serverId,
    facts,
    readiness,
    mode: membership.mode,
    process,
    activeRequests: () => serve.slots.used,
    queueDepth: async () => {
      const waiting = await providerQueues(config, context);
      const { ready } = await queues.queue.depth(config.jobs.rawQueue);
      return waiting.reduce((sum, { depth }) => sum + depth, ready);
    },
    dependencies: dependenciesOf(context),
    clock,
  });
}

/** The services that this server checks for availability. */
export function dependenciesOf({
  store,
  shared,
  queues,
}: Pick<ClusterContext, 'store' | 'shared' | 'queues'>): readonly Dependency[] {
  const { redis } = shared;
  const { brokered } = queues;
  return [
    { name: 'store', ask: () => store.organizations.find(DEFAULT_ORGANIZATION_ID) },
    ...(redis ? [{ name: 'redis', ask: () => redis.run((each) => each.ping()) } as const] : []),
    ...(brokered ? [{ name: 'broker', ask: () => askBroker(queues) } as const] : []),
  ];
}

async function askBroker({ isUp, brokered, final }: Queues): Promise<void> {
  if (!isUp()) throw new Error('the broker is not connected');
  if (final.resultsQueue !== undefined) await brokered?.broker.depth(final.resultsQueue);
}

/** The waiting jobs of each provider with a key. */
async function providerQueues(
  config: Config,
  { queues: { queue }, clock }: ClusterContext,
): Promise<readonly ProviderQueue[]> {
  const providers = Object.values(config.providers).filter(({ hasKey }) => hasKey);
  return Promise.all(
    providers.map(async (provider) => {
      const { ready, oldestAt } = await queue.depth(provider.queue);
      return {
        provider: provider.name,
        depth: ready,
        oldestWaitMs: oldestAt === undefined ? 0 : Math.max(0, clock.now() - oldestAt),
        callsPerMinute: provider.rateLimitPerMinute,
      };
    }),
  );
}
