// The record that every server announces about itself, and the heartbeat that the registry adds. Durations instead of timestamps
// describe the past of a server, because servers' clocks differ; `lastHeartbeat` is a time of the registry's clock.

import { SUSPECTED_AFTER_MS } from '../kernel/heartbeat.ts';
import type { CircuitKey } from '../resilience/circuit-key.ts';
import type { Opinion } from './opinions.ts';
import type { RoutingCounts } from './routing-statistics.ts';

/** `degraded`: a limit is active or a dependency is unavailable, and the server serves what it can. */
export type ServerHealth = 'healthy' | 'degraded' | 'unhealthy';

/** What an operator wants of a server. */
export type ServerMode = 'active' | 'maintenance' | 'draining';

export type WorkerState = {
  readonly provider: string;
  readonly concurrency: number;
  readonly running: number;
  readonly averageRunMs: number;
};

export type ServerCapabilities = {
  readonly providers: readonly string[];
  /** Names, and patterns in which a star matches any text. */
  readonly models: readonly string[];
  /** The provider accounts that the server can call. */
  readonly scopes: readonly CircuitKey[];
};

export type ServerRecord = {
  readonly id: string;
  /** One process's life under this id. */
  readonly incarnation: string;
  readonly version: string;
  /** Undefined for a role that does not listen. */
  readonly url: string | undefined;
  readonly region: string;
  readonly isGateway: boolean;
  readonly isDispatcher: boolean;
  readonly workers: readonly WorkerState[];
  readonly maxConcurrentBuilds: number;
  readonly currentLoad: number;
  readonly health: ServerHealth;
  /** Lower is preferred. */
  readonly priority: number;
  readonly isMaintenanceMode: boolean;
  readonly isDraining: boolean;
  readonly capabilities: ServerCapabilities;
  readonly opinion: Opinion;
  readonly routing: RoutingCounts;
  /** Requests that this server has forwarded, by the server that answered; absent from records of older versions. */
  readonly forwardedTo?: Readonly<Record<string, number>> | undefined;
};

export type RegisteredServer = ServerRecord & { readonly lastHeartbeat: number };

export type RegistrySnapshot = {
  /** The registry's clock, epoch milliseconds. */
  readonly now: number;
  readonly servers: readonly RegisteredServer[];
};

export function isSuspected({ lastHeartbeat }: RegisteredServer, now: number): boolean {
  return now - lastHeartbeat > SUSPECTED_AFTER_MS;
}

/** The servers that have not missed three beats. */
export function liveServers({ now, servers }: RegistrySnapshot): readonly RegisteredServer[] {
  return servers.filter((server) => !isSuspected(server, now));
}
