// The number of replicas that the load needs: of gateways, and of workers per provider. Pure. A provider limit is never a
// reason to scale out, because more servers cannot raise it; between the load that adds a replica and the load that
// removes one is a dead zone, so that a steady load does not
// add and remove the same replica again and again.

export type ScalingRules = {
  readonly minGateways: number;
  readonly maxGateways: number;
  /** Per provider. */
  readonly minWorkers: number;
  readonly maxWorkers: number;
  /** The fraction of its slots that a gateway should use. */
  readonly targetUtilization: number;
  /** How long a job may wait for a worker. */
  readonly maxQueueWaitMs: number;
};

export type GatewayLoad = {
  readonly replicas: number;
  readonly activeRequests: number;
  /** Of all gateways together. */
  readonly slots: number;
  /** Every provider is at its limit. */
  readonly isLimited: boolean;
};

export type WorkerLoad = {
  readonly provider: string;
  readonly replicas: number;
  readonly running: number;
  /** Concurrent runs of all workers together. */
  readonly slots: number;
  readonly averageRunMs: number;
  readonly queueDepth: number;
  readonly oldestWaitMs: number;
  /** The provider's limit; undefined if it has none. */
  readonly callsPerMinute: number | undefined;
  /** Why the provider serves nothing now. */
  readonly blockedBy: 'provider_limit' | 'circuit' | undefined;
};

export type ScalingReason =
  | 'utilization'
  | 'queue_depth'
  | 'queue_wait'
  | 'idle'
  | 'steady'
  | 'provider_limit'
  | 'circuit'
  | 'lower_bound'
  | 'upper_bound';

export type ReplicaTarget = {
  readonly role: 'gateway' | 'worker';
  /** Null for gateways. */
  readonly provider: string | null;
  readonly current: number;
  readonly desired: number;
  readonly reasons: readonly ScalingReason[];
};

/** A replica is removed only when the load falls below this share of the load that would add it again. */
const SCALE_IN_RATIO = 0.7;
/** While no replica runs, a new one is assumed to have this many slots. */
const ASSUMED_SLOTS = { gateway: 100, worker: 5 };
const MINUTE_MS = 60_000;

export function desiredGateways(load: GatewayLoad, rules: ScalingRules): ReplicaTarget {
  const { replicas: current, activeRequests, isLimited } = load;
  const slots = (current > 0 ? load.slots / current : ASSUMED_SLOTS.gateway) || 1;
  const perReplica = slots * rules.targetUtilization;
  const desired = withDeadZone(current, activeRequests, perReplica);
  const isOut = desired > current;
  const reasons: ScalingReason[] = [isOut ? 'utilization' : desired < current ? 'idle' : 'steady'];
  const allowed = isOut && isLimited ? current : desired;
  if (allowed < desired) reasons.push('provider_limit');
  const { minGateways: min, maxGateways: max } = rules;
  return bounded({ role: 'gateway', provider: null, current, desired: allowed, reasons }, min, max);
}

export function desiredWorkers(load: WorkerLoad, rules: ScalingRules): ReplicaTarget {
  const { provider, replicas: current, blockedBy } = load;
  const { desired, reason } = workersForLoad(load, rules);
  const reasons: ScalingReason[] = [reason];
  const allowed = blockedBy !== undefined ? Math.min(desired, current) : desired;
  if (allowed < desired && blockedBy !== undefined) reasons.push(blockedBy);
  const { minWorkers: min, maxWorkers: max } = rules;
  return bounded({ role: 'worker', provider, current, desired: allowed, reasons }, min, max);
}

/** Enough workers to empty the queue in time, and for the runs in progress. */
function workersForLoad(
  load: WorkerLoad,
  rules: ScalingRules,
): { readonly desired: number; readonly reason: ScalingReason } {
  const { replicas: current, running, queueDepth, oldestWaitMs, callsPerMinute } = load;
  const slots = (current > 0 ? load.slots / current : ASSUMED_SLOTS.worker) || 1;
  const perWorker = (slots * MINUTE_MS) / Math.max(1, load.averageRunMs);
  const perMinute = (queueDepth * MINUTE_MS) / rules.maxQueueWaitMs;
  const useful = Math.min(perMinute, callsPerMinute ?? Number.POSITIVE_INFINITY);
  const busy = Math.ceil(running / slots);
  const byDepth = Math.max(withDeadZone(current, useful, perWorker), Math.min(busy, current));
  const maxUseful = Math.ceil((callsPerMinute ?? Number.POSITIVE_INFINITY) / perWorker);
  const isLate = queueDepth > 0 && oldestWaitMs > rules.maxQueueWaitMs;
  if (isLate && byDepth <= current && current < maxUseful)
    return { desired: current + 1, reason: 'queue_wait' };
  if (byDepth > current) return { desired: byDepth, reason: 'queue_depth' };
  return { desired: byDepth, reason: byDepth < current ? 'idle' : 'steady' };
}

function withDeadZone(current: number, load: number, perReplica: number): number {
  const needed = Math.ceil(load / perReplica);
  if (needed > current) return needed;
  return Math.min(current, Math.ceil(load / (perReplica * SCALE_IN_RATIO)));
}

function bounded(target: ReplicaTarget, min: number, max: number): ReplicaTarget {
  const { desired, reasons } = target;
  if (desired < min) return { ...target, desired: min, reasons: [...reasons, 'lower_bound'] };
  if (desired > max) return { ...target, desired: max, reasons: [...reasons, 'upper_bound'] };
  return target;
}
