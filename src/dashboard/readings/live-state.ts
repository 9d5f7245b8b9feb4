// The state that the live stream sends: the facts of one reading, their findings, and revisions that say which lists have
// changed. Pure.

import { nanosToUsd } from '../../kernel/money.ts';
import { percentilesOf } from '../../series/percentile.ts';
import { errorsOf, type Sample } from '../../series/sample.ts';
import type { LiveMinute, LiveServer, LiveState } from '../api/live.ts';
import type { Facts } from './facts.ts';
import { overallState } from './overall-state.ts';
import { writeFindings } from './write-findings.ts';

export type LiveParts = {
  readonly facts: Facts;
  readonly cluster: LiveState['cluster'];
  /** The present minute of all servers. */
  readonly minute: { readonly at: number; readonly sample: Sample };
  readonly revisions: Omit<LiveState['revisions'], 'deadLetters' | 'alerts'>;
};

export function toLiveState({ facts, cluster, minute, revisions }: LiveParts): LiveState {
  const findings = writeFindings(facts);
  const servers = facts.servers.map(toLiveServer);
  return {
    now: facts.now,
    cluster,
    state: overallState(facts, findings),
    findings,
    minute: toMinute(minute, servers),
    limits: facts.limits.map(({ provider, region, model, setAt, resetAt, kind }) => ({
      provider,
      region,
      model,
      setAt,
      resetAt,
      kind,
    })),
    circuits: facts.circuits.map(({ provider, region, state, cause, openedAt, nextProbeAt }) => ({
      provider,
      region,
      state,
      cause,
      openedAt,
      nextProbeAt,
    })),
    queues: facts.queues ?? [],
    alerts: facts.alerts ?? [],
    servers,
    revisions: {
      ...revisions,
      deadLetters: facts.deadLetters ?? 0,
      alerts: (facts.alerts ?? []).map(({ id }) => id).join(' '),
    },
  };
}

function toMinute({ at, sample }: LiveParts['minute'], servers: readonly LiveServer[]): LiveMinute {
  return {
    at,
    requests: sample.requests,
    errors: errorsOf(sample),
    errorsByCode: sample.errors,
    latencyMs: percentilesOf(sample.latency),
    inputTokens: sample.inputTokens,
    outputTokens: sample.outputTokens,
    costUsd: nanosToUsd(sample.costNanos),
    retries: sample.retries,
    rateLimited: sample.rateLimited,
    jobs: {
      in: sample.jobsIn,
      out: sample.jobsOut,
      failed: sample.jobsFailed,
      delayed: sample.jobsDelayed,
    },
    inFlight: servers.reduce((sum, { load, isSuspected }) => sum + (isSuspected ? 0 : load), 0),
  };
}

function toLiveServer(server: Facts['servers'][number]): LiveServer {
  const { id, region, health, isSuspected, isDraining, isMaintenanceMode } = server;
  return {
    id,
    region,
    health,
    mode: isDraining ? 'draining' : isMaintenanceMode ? 'maintenance' : 'active',
    isSuspected,
    load: server.currentLoad,
    maxLoad: server.maxConcurrentBuilds,
  };
}
