// Reads the figures of alerts: requests of the cluster, circuits, credentials and servers from the registry, queues and jobs
// from their ports. A source that is unavailable leaves its figures out, so that their alerts stay as they are.

import type { AlertFigures, Figure } from '../../alerts/alert-figures.ts';
import type { RuleName } from '../../alerts/alert-rules.ts';
import { requestFigures } from '../../alerts/request-figures.ts';
import type { ServerDirectory } from '../../cluster/server-directory.ts';
import { liveServers, type RegisteredServer } from '../../cluster/server-record.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Dependency } from '../cluster/health-check.ts';
import { withinTime } from '../cluster/health-check.ts';
import type { Queues } from '../jobs/open-queue.ts';
import type { Store } from '../open/open-store.ts';
import { openRequestCounts } from './open-request-counts.ts';

export type FigureSources = {
  readonly directory: ServerDirectory;
  readonly metrics: Metrics;
  readonly queues: Queues;
  readonly store: Pick<Store, 'deadLetters' | 'backlog' | 'series'>;
  readonly dependencies: readonly Dependency[];
  readonly clock: Clock;
};

type Entry = readonly [RuleName, readonly Figure[]];

export function openFigures(config: Config, sources: FigureSources): AlertFigures {
  const { windowMs, countWindowMs } = config.alerts;
  const { store, metrics, clock } = sources;
  const requestParts = { series: store.series, metrics, clock };
  const requests = openRequestCounts(requestParts, Math.max(windowMs, countWindowMs));
  const readers = [
    async () => {
      const [long, short] = await requests.read([windowMs, countWindowMs]);
      return long && short ? requestFigures(long, short, config.alerts) : [];
    },
    async () => [openCircuits(sources.metrics)],
    () => serverFigures(sources),
    () => deadLetters(sources),
    () => queueFigures(config, sources),
    () => dependencyFigures(sources),
  ];
  return {
    observe: () => requests.observe(),
    async read() {
      const groups = await Promise.allSettled(readers.map((read) => read()));
      return new Map(groups.flatMap((group) => (group.status === 'fulfilled' ? group.value : [])));
    },
  };
}

/** Every server knows the open circuits of all servers. */
function openCircuits(metrics: Metrics): Entry {
  const gauge = metrics.find('ai.circuit_breaker.open');
  if (gauge?.kind !== 'gauge') return ['circuit-open', []];
  const figures = [...gauge.series.values()]
    .filter(({ cell }) => cell.value > 0)
    .map(({ labels, cell }) => ({ subject: labels.join(' '), value: cell.value }));
  return ['circuit-open', figures];
}

async function serverFigures({ directory }: FigureSources): Promise<readonly Entry[]> {
  const snapshot = await directory.snapshot();
  if (snapshot.isStale) return [];
  const live = liveServers(snapshot);
  const gateways = live.filter(acceptsRequests);
  const refused = new Map<string, number>();
  for (const { opinion } of live)
    for (const { provider, account } of opinion.refusedAccounts)
      refused.set(`${provider}/${account}`, (refused.get(`${provider}/${account}`) ?? 0) + 1);
  return [
    ['no-server', [{ value: gateways.length }]],
    ['credentials-refused', [...refused].map(([subject, value]) => ({ subject, value }))],
  ];
}

function acceptsRequests(server: RegisteredServer): boolean {
  const isTaken = server.isMaintenanceMode || server.isDraining || server.health === 'unhealthy';
  return server.isGateway && !isTaken;
}

async function deadLetters({ store }: FigureSources): Promise<readonly Entry[]> {
  return [['dead-letters', [{ value: await store.deadLetters.count() }]]];
}

async function queueFigures(
  config: Config,
  { store, queues, clock }: FigureSources,
): Promise<readonly Entry[]> {
  const now = clock.now();
  const raw = await queues.queue.depth(config.jobs.rawQueue);
  const oldestDueAt = await store.backlog.oldestDueAt();
  const waitMs = oldestDueAt === undefined ? 0 : Math.max(0, now - oldestDueAt);
  const overdue = await store.backlog.overdueDelayed(now - config.alerts.overdueAfterMs);
  const lost: Figure[] = [];
  for (const { queue, count } of overdue) {
    // If the queue has messages, the overdue jobs have come back and wait behind others.
    const { ready } = await queues.queue.depth(queue);
    if (ready === 0) lost.push({ subject: queue, value: count });
  }
  return [
    ['raw-queue-backlog', [{ value: raw.ready }]],
    ['oldest-waiting-job', [{ value: waitMs / 1000 }]],
    ['delayed-messages', lost],
  ];
}

async function dependencyFigures({
  dependencies,
  clock,
}: FigureSources): Promise<readonly Entry[]> {
  const figures = await Promise.all(
    dependencies.map(async ({ name, ask }) => {
      const isUp = await withinTime(clock, ask());
      return { subject: name, value: isUp ? 0 : 1 };
    }),
  );
  return [['dependency-unavailable', figures]];
}
