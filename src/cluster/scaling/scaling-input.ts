// The load of the cluster from the server records, the queues and the capacity of the providers. Suspected servers and
// servers in draining or maintenance mode do not count as replicas: the load has to be served without them.

import type { RegionCapacity } from '../capacity.ts';
import {
  liveServers,
  type RegisteredServer,
  type RegistrySnapshot,
  type WorkerState,
} from '../server-record.ts';
import {
  desiredGateways,
  desiredWorkers,
  type GatewayLoad,
  type ReplicaTarget,
  type ScalingRules,
  type WorkerLoad,
} from './desired-replicas.ts';

export type ProviderQueue = {
  readonly provider: string;
  /** Jobs that could run now; delayed jobs do not wait for a worker. */
  readonly depth: number;
  readonly oldestWaitMs: number;
  readonly callsPerMinute: number | undefined;
};

const DEFAULT_RUN_MS = 5000;

export function replicaTargets(
  snapshot: RegistrySnapshot,
  queues: readonly ProviderQueue[],
  capacity: readonly RegionCapacity[],
  rules: ScalingRules,
): readonly ReplicaTarget[] {
  const servers = liveServers(snapshot).filter(
    ({ isDraining, isMaintenanceMode }) => !isDraining && !isMaintenanceMode,
  );
  const gateways = desiredGateways(gatewayLoad(servers, capacity), rules);
  const workers = queues.map((queue) =>
    desiredWorkers(workerLoad(servers, queue, capacity), rules),
  );
  return [gateways, ...workers];
}

function gatewayLoad(
  servers: readonly RegisteredServer[],
  capacity: readonly RegionCapacity[],
): GatewayLoad {
  const gateways = servers.filter(({ isGateway }) => isGateway);
  return {
    replicas: gateways.length,
    activeRequests: sum(gateways.map(({ currentLoad }) => currentLoad)),
    slots: sum(gateways.map(({ maxConcurrentBuilds }) => maxConcurrentBuilds)),
    isLimited: capacity.length > 0 && capacity.every(({ limit }) => limit.isActive),
  };
}

function workerLoad(
  servers: readonly RegisteredServer[],
  { provider, depth, oldestWaitMs, callsPerMinute }: ProviderQueue,
  capacity: readonly RegionCapacity[],
): WorkerLoad {
  const workers = servers.flatMap((server) =>
    server.workers.filter((worker) => worker.provider === provider),
  );
  return {
    provider,
    replicas: workers.length,
    running: sum(workers.map(({ running }) => running)),
    slots: sum(workers.map(({ concurrency }) => concurrency)),
    averageRunMs: averageRun(workers),
    queueDepth: depth,
    oldestWaitMs,
    callsPerMinute,
    blockedBy: blockedBy(capacity.filter((region) => region.provider === provider)),
  };
}

function blockedBy(regions: readonly RegionCapacity[]): WorkerLoad['blockedBy'] {
  if (regions.length === 0) return undefined;
  if (regions.every(({ limit }) => limit.isActive)) return 'provider_limit';
  const isBlocked = regions.every(({ limit, breaker }) => limit.isActive || breaker === 'open');
  return isBlocked ? 'circuit' : undefined;
}

function averageRun(workers: readonly WorkerState[]): number {
  if (workers.length === 0) return DEFAULT_RUN_MS;
  return sum(workers.map(({ averageRunMs }) => averageRunMs)) / workers.length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
