// Takes one reading of everything that the dashboard's findings are written from. Parts that cannot be read are undefined.

import { z } from 'zod';
import { isSuspected } from '../../cluster/server-record.ts';
import type { Config } from '../../config/config.ts';
import type { LiveAlert } from '../../dashboard/api/live.ts';
import type { Facts } from '../../dashboard/readings/facts.ts';
import type { RankedSpenders } from '../../dashboard/readings/read-money.ts';
import type { ServeParts } from '../../flow/serve/serve-request.ts';
import { toBreakerView } from '../../http/routes/admin-breakers.ts';
import { toLimitView } from '../../http/routes/admin-limits.ts';
import type { Clock } from '../../kernel/clock.ts';
import { recentFigures } from '../../series/recent-figures.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { Queues } from '../jobs/open-queue.ts';
import type { Store } from '../store-ports.ts';
import { readQueues } from './read-queues.ts';

export type FactSources = {
  readonly store: Store;
  readonly cluster: Pick<Cluster, 'directory' | 'facts' | 'readings'>;
  readonly serve: Pick<ServeParts, 'limits' | 'breakers'>;
  readonly queues: Queues;
  readonly spenders: () => Promise<RankedSpenders>;
  readonly clock: Clock;
};

const RECENT_MINUTES = 5;
const MAX_BUDGETS = 5;
const MAX_ALERTS = 50;
const MAX_DEAD_LETTERS = 1000;

export async function readFacts(config: Config, sources: FactSources): Promise<Facts> {
  const { store, cluster, serve, clock } = sources;
  const now = clock.now();
  const [snapshot, limits, circuits, capacity, dependencies, work] = await Promise.all([
    cluster.directory.snapshot(),
    serve.limits.list(),
    serve.breakers.list(),
    cluster.facts.capacity(),
    readDependencies(cluster),
    readWork(config, sources),
  ]);
  const recent = await orUnknown(recentFigures(store.series, RECENT_MINUTES, now));
  return {
    now,
    limits: limits.filter(({ resetAt }) => resetAt > now).map(toLimitView),
    circuits: circuits.filter(({ state }) => state !== 'closed').map(toBreakerView),
    capacity: capacity.map((each) => ({ ...each })),
    servers: snapshot.servers.map((server) => ({
      ...server,
      isSuspected: isSuspected(server, snapshot.now),
    })),
    dependencies,
    recent,
    ...work,
  };
}

async function readWork(config: Config, sources: FactSources) {
  const { store, queues, clock, spenders } = sources;
  const figures = store.readings.jobs;
  const [read, deadLetters, budgets, alerts] = await Promise.all([
    orUnknown(readQueues(config, { queues, figures, clock })),
    orUnknown(figures.deadLetters(MAX_DEAD_LETTERS)),
    orUnknown(spenders()),
    orUnknown(firingAlerts(store)),
  ]);
  return { queues: read, deadLetters, alerts, budgets: budgets?.data.slice(0, MAX_BUDGETS) };
}

async function firingAlerts({ alerts }: Store): Promise<readonly LiveAlert[]> {
  const firing = await alerts.firing();
  return firing.slice(0, MAX_ALERTS).map(({ id, name, severity, message, startedAt }) => ({
    id,
    name,
    severity,
    message,
    startedAt,
  }));
}

const healthView = z.object({
  dependencies: z.array(
    z.object({ name: z.enum(['store', 'redis', 'broker']), status: z.enum(['up', 'down']) }),
  ),
});

/** The detailed health is a shared reading already; it is JSON text. */
async function readDependencies({ readings }: FactSources['cluster']) {
  const health: unknown = JSON.parse(await readings.health());
  return healthView.parse(health).dependencies;
}

async function orUnknown<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch(() => undefined);
}
