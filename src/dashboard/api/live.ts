// GET /admin/dashboard/live (text/event-stream): at most one event a second, `event: state` with this object as JSON, the same
// bytes for all viewers. A comment keeps an idle stream open. The stream ends when the server drains: reconnect.

import type { BreakerState } from './capacity.ts';
import type { Finding, OverallState } from './findings.ts';
import type { QueueFigures } from './jobs.ts';

export type LiveState = {
  /** The server's clock, epoch milliseconds: base countdowns on it. */
  readonly now: number;
  readonly cluster: {
    /** The name shown in the top bar. */
    readonly name: string;
    /** The server that sends this state. */
    readonly serverId: string;
    readonly version: string;
    /** The simulator stands in for the providers: "Try it" can switch scenarios. */
    readonly hasSimulator: boolean;
  };
  readonly state: OverallState;
  readonly findings: readonly Finding[];
  /** The current minute of the whole cluster; figures of other servers are a few seconds old. */
  readonly minute: LiveMinute;
  readonly limits: readonly LiveLimit[];
  /** Circuits that are not closed. */
  readonly circuits: readonly LiveCircuit[];
  readonly queues: readonly QueueFigures[];
  readonly alerts: readonly LiveAlert[];
  readonly servers: readonly LiveServer[];
  /** Changes when the answer of that endpoint may have changed: refetch only then. */
  readonly revisions: {
    /** `GET /admin/logs`: the time of the newest entry; null if entries are not stored. */
    readonly logs: number | null;
    /** `GET /admin/dlq`: number of dead letters (at most 1,000 are counted). */
    readonly deadLetters: number;
    /** `GET /admin/requests`: requests that have ended on this server since its start. */
    readonly requests: number;
    /** `GET /admin/jobs`: jobs that have moved on this server since its start. */
    readonly jobs: number;
    /** `GET /admin/alerts`: changes when an alert starts or ends. */
    readonly alerts: string;
  };
};

export type LiveMinute = {
  /** Start of the minute, epoch milliseconds. */
  readonly at: number;
  readonly requests: number;
  readonly errors: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
  readonly latencyMs: {
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly retries: number;
  readonly rateLimited: number;
  readonly jobs: {
    readonly in: number;
    readonly out: number;
    readonly failed: number;
    readonly delayed: number;
  };
  /** Requests in flight now, over all live servers. */
  readonly inFlight: number;
};

export type LiveLimit = {
  readonly provider: string;
  readonly region: string;
  readonly model: string | null;
  readonly setAt: number;
  readonly resetAt: number;
  readonly kind: string;
};

export type LiveCircuit = {
  readonly provider: string;
  readonly region: string;
  readonly state: BreakerState;
  readonly cause: 'failures' | 'limit' | null;
  readonly openedAt: number | null;
  readonly nextProbeAt: number | null;
};

export type LiveAlert = {
  readonly id: string;
  readonly name: string;
  readonly severity: 'warning' | 'critical';
  readonly message: string;
  readonly startedAt: number;
};

export type LiveServer = {
  readonly id: string;
  readonly region: string;
  readonly health: 'healthy' | 'degraded' | 'unhealthy';
  readonly mode: 'active' | 'maintenance' | 'draining';
  /** The server has missed three heartbeats. */
  readonly isSuspected: boolean;
  /** Requests and jobs in flight, and the bound. */
  readonly load: number;
  readonly maxLoad: number;
};
