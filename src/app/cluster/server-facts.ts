// The facts of this server's record and of the capacity of providers, as this server knows them without I/O.

import type { ProviderLimit } from '../../admission/provider-limits.ts';
import { type CapacityFacts, capacityOf, type RegionCapacity } from '../../cluster/capacity.ts';
import { createOpinionTracker } from '../../cluster/opinions.ts';
import type { RoutingStatistics } from '../../cluster/routing-statistics.ts';
import type { ServerHealth, WorkerState } from '../../cluster/server-record.ts';
import type { Config } from '../../config/config.ts';
import type { ServeParts } from '../../flow/serve/serve-request.ts';
import type { Clock } from '../../kernel/clock.ts';
import { accountCircuit, isSameCircuit } from '../../resilience/circuit-key.ts';
import type { ServerReadiness } from '../readiness.ts';
import type { ServerFacts } from './open-membership.ts';
import { callableAccounts } from './server-capabilities.ts';

export type ServerFactsParts = {
  readonly serve: Pick<ServeParts, 'slots' | 'limits' | 'breakers' | 'headroom' | 'credentials'>;
  readonly readiness: ServerReadiness;
  readonly workers: () => readonly WorkerState[];
  readonly statistics: RoutingStatistics;
  readonly clock: Clock;
};

export type KnownFacts = {
  record(): Promise<ServerFacts>;
  health(): Promise<ServerHealth>;
  /** The limits in force of the accounts that this server calls. */
  limits(): Promise<readonly ProviderLimit[]>;
  capacity(): Promise<readonly RegionCapacity[]>;
};

export function createServerFacts(config: Config, parts: ServerFactsParts): KnownFacts {
  const { serve, readiness, clock } = parts;
  const accounts = callableAccounts(config);
  const track = createOpinionTracker(clock);

  function openCircuits(): CapacityFacts['circuits'] {
    return accounts.flatMap((key) =>
      serve.breakers.openCause(key) === undefined ? [] : [{ key, state: 'open' as const }],
    );
  }

  async function activeLimits(): Promise<readonly ProviderLimit[]> {
    const now = clock.now();
    return (await serve.limits.list()).filter(({ resetAt }) => resetAt > now);
  }

  /** The limits of the accounts that this server calls. */
  async function ownLimits(): Promise<readonly ProviderLimit[]> {
    return (await activeLimits()).filter((limit) =>
      accounts.some((account) => isSameCircuit(accountCircuit(limit), account)),
    );
  }

  async function health(): Promise<ServerHealth> {
    if (readiness.unhealthyReason() === 'unhealthy') return 'unhealthy';
    const isDegraded = readiness.notReadyReason() === 'degraded';
    const isLimited = (await ownLimits()).some(({ kind }) => kind !== 'throttled');
    return isDegraded || isLimited ? 'degraded' : 'healthy';
  }

  return {
    health,
    limits: ownLimits,
    async record() {
      return {
        currentLoad: serve.slots.used,
        health: await health(),
        isDraining: readiness.unhealthyReason() === 'draining',
        workers: parts.workers(),
        opinion: {
          entries: track(await activeLimits(), openCircuits()),
          refusedAccounts: serve.credentials.refusedAccounts(),
        },
        routing: parts.statistics.counts(),
        forwardedTo: parts.statistics.forwardedTo(),
      };
    },
    async capacity() {
      return capacityOf({
        accounts,
        limits: await ownLimits(),
        circuits: openCircuits(),
        headroom: serve.headroom.list(),
      });
    },
  };
}
