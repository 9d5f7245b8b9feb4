// The state of the cluster for operators: every server with its own opinion, their disagreements, where requests were
// served, and what to do. Pure.

import type { RegionCapacity } from './capacity.ts';
import { type Disagreement, findDisagreements } from './disagreements.ts';
import { type Recommendation, recommend } from './recommendations.ts';
import { type RoutingCounts, type RoutingOutcome, sumRouting } from './routing-statistics.ts';
import type { ReplicaTarget } from './scaling/desired-replicas.ts';
import type { DirectorySnapshot } from './server-directory.ts';
import { isSuspected, type RegisteredServer } from './server-record.ts';

export type ServerView = RegisteredServer & {
  readonly isSuspected: boolean;
  readonly sinceHeartbeatMs: number;
};

export type ClusterStatus = {
  /** The registry's clock. */
  readonly now: number;
  /** The registry cannot be read: this is the last reading. */
  readonly isStale: boolean;
  /** The server that answers. */
  readonly serverId: string;
  readonly servers: readonly ServerView[];
  readonly disagreements: readonly Disagreement[];
  readonly routing: Readonly<Record<RoutingOutcome, number>> & { readonly byReason: RoutingCounts };
  /** Requests that one server has forwarded to another. */
  readonly forwarding: readonly {
    readonly from: string;
    readonly to: string;
    readonly count: number;
  }[];
  readonly recommendations: readonly Recommendation[];
};

export type StatusFacts = {
  readonly serverId: string;
  readonly snapshot: DirectorySnapshot;
  readonly capacity: readonly RegionCapacity[];
  readonly targets: readonly ReplicaTarget[];
};

export function clusterStatus({
  serverId,
  snapshot,
  capacity,
  targets,
}: StatusFacts): ClusterStatus {
  const { now, servers, isStale } = snapshot;
  const disagreements = findDisagreements(snapshot);
  const byReason = sumRouting(servers.map(({ routing }) => routing));
  return {
    now,
    isStale,
    serverId,
    servers: servers.map((server) => ({
      ...server,
      isSuspected: isSuspected(server, now),
      sinceHeartbeatMs: Math.max(0, now - server.lastHeartbeat),
    })),
    disagreements,
    routing: {
      local: total(byReason.local),
      proxied: total(byReason.proxied),
      failed: total(byReason.failed),
      byReason,
    },
    forwarding: servers.flatMap(({ id: from, forwardedTo = {} }) =>
      Object.entries(forwardedTo).map(([to, count]) => ({ from, to, count })),
    ),
    recommendations: recommend({ serverId, snapshot, capacity, targets, disagreements }),
  };
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
