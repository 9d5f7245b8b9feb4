// GET /cluster/status and GET /cluster/scaling. Actions: POST /cluster/servers/{id}/maintenance, /drain, /resume.

import type { BreakerState } from './capacity.ts';

export type ClusterStatus = {
  /** The registry's clock. */
  readonly now: number;
  /** True while the registry is unavailable; the status is then the last reading. */
  readonly isStale: boolean;
  /** The server that answers. */
  readonly serverId: string;
  readonly servers: readonly ClusterServer[];
  /** Limits and circuits that some servers know and others do not. */
  readonly disagreements: readonly Disagreement[];
  readonly routing: {
    readonly local: number;
    readonly proxied: number;
    readonly failed: number;
    readonly byReason: RoutingCounts;
  };
  /** The arrows of the map: requests that `from` has forwarded to `to` since the start of `from`. */
  readonly forwarding: readonly Forwarding[];
  readonly recommendations: readonly {
    readonly action: string;
    readonly subject: string;
    readonly message: string;
  }[];
};

export type ClusterServer = {
  readonly id: string;
  readonly incarnation: string;
  readonly version: string;
  readonly url?: string;
  readonly region: string;
  readonly isGateway: boolean;
  readonly isDispatcher: boolean;
  readonly workers: readonly {
    readonly provider: string;
    readonly concurrency: number;
    readonly running: number;
    readonly averageRunMs: number;
  }[];
  /** The bound of requests in flight. */
  readonly maxConcurrentBuilds: number;
  readonly currentLoad: number;
  readonly health: 'healthy' | 'degraded' | 'unhealthy';
  readonly priority: number;
  readonly isMaintenanceMode: boolean;
  readonly isDraining: boolean;
  readonly capabilities: {
    readonly providers: readonly string[];
    readonly models: readonly string[];
    readonly scopes: readonly {
      readonly provider: string;
      readonly region: string;
      readonly account?: string;
    }[];
  };
  /** The limits and circuits as this server knows them. */
  readonly opinion: {
    readonly entries: readonly OpinionEntry[];
    /** Accounts with credentials that the provider has refused. */
    readonly refusedAccounts: readonly { readonly provider: string; readonly account: string }[];
  };
  readonly routing: RoutingCounts;
  readonly lastHeartbeat: number;
  /** The server has missed three beats. */
  readonly isSuspected: boolean;
  readonly sinceHeartbeatMs: number;
};

export type OpinionEntry = {
  readonly subject: 'limit' | 'circuit';
  readonly provider: string;
  readonly region: string;
  readonly resetAt?: number;
  readonly state?: Exclude<BreakerState, 'closed'>;
  readonly forMs: number;
  readonly endsInMs?: number;
};

export type Disagreement = {
  readonly subject: 'limit' | 'circuit';
  readonly provider: string;
  readonly region: string;
  readonly knownBy: readonly string[];
  readonly unknownTo: readonly string[];
};

export type Forwarding = {
  readonly from: string;
  readonly to: string;
  /** Forwarded requests that `to` has answered. */
  readonly count: number;
};

/** Counts by reason, such as `local_ai_limit`. */
export type RoutingCounts = {
  readonly local: Readonly<Record<string, number>>;
  readonly proxied: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
};

/** GET /cluster/scaling */
export type Scaling = {
  readonly data: readonly {
    readonly role: 'gateway' | 'worker';
    /** null for gateways. */
    readonly provider: string | null;
    readonly current: number;
    readonly desired: number;
    readonly reasons: readonly string[];
  }[];
  readonly readAt: number;
};
