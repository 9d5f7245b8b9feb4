// Composes the admin endpoints. The gateway serves them over HTTP; the command line runs them in its own process when
// no server is running, without the parts that only a running server has: provider limits, circuits, the last log
// entries and request records.

import { type Auditor, createAuditor } from '../admission/administer-audit.ts';
import { administerBreakers } from '../admission/administer-breakers.ts';
import { administerKeys } from '../admission/administer-keys.ts';
import { administerLimits } from '../admission/administer-limits.ts';
import { administerOrganizations } from '../admission/administer-organizations.ts';
import type { ProviderLimits } from '../admission/provider-limits.ts';
import type { Config } from '../config/config.ts';
import { jobDetailsRoutes } from '../dashboard/routes/job-details-routes.ts';
import { requestRoutes } from '../dashboard/routes/request-routes.ts';
import type { OwnReads } from '../flow/serve/own-reads.ts';
import type { Gate } from '../http/authenticate.ts';
import type { RegisterRoutes } from '../http/http-server.ts';
import { adminAuditRoutes } from '../http/routes/admin-audit.ts';
import { adminBreakerRoutes } from '../http/routes/admin-breakers.ts';
import { adminJobRoutes } from '../http/routes/admin-jobs.ts';
import { adminKeyRoutes } from '../http/routes/admin-keys.ts';
import { adminLimitRoutes } from '../http/routes/admin-limits.ts';
import { adminLogRoutes, type RecentLog } from '../http/routes/admin-logs.ts';
import { adminOrganizationRoutes } from '../http/routes/admin-organizations.ts';
import { usageRoutes } from '../http/routes/usage.ts';
import type { AdvanceDelayed } from '../jobs/pipeline/advance-delayed.ts';
import type { UnfinishedJobs } from '../jobs/pipeline/unfinished-jobs.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { type Log, logFailure } from '../kernel/log.ts';
import type { BreakerBoard } from '../resilience/breaker-board.ts';
import type { RequestRecords } from '../upstream/request-records.ts';
import type { CallerCache } from './follow-callers.ts';
import { configuredCircuits } from './open/open-resilience.ts';
import type { Store } from './open/open-store.ts';

export type AdministrationParts = {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly gate: Gate;
  readonly reads: OwnReads;
  /** Notified after a change, so that cached callers are dropped. */
  readonly callers: CallerCache;
  readonly unfinishedJobs: UnfinishedJobs;
  /** Brings forward the jobs that wait for a provider's limit. */
  readonly advanceDelayed: AdvanceDelayed;
  readonly running?: {
    readonly limits: ProviderLimits;
    readonly breakers: BreakerBoard;
    readonly recentLog: RecentLog;
    readonly requestRecords: RequestRecords;
  };
};

export type Administration = {
  readonly auditor: Auditor;
  readonly routes: readonly RegisterRoutes[];
};

export function openAdministration(parts: AdministrationParts): Administration {
  const { store, clock, gate, log, callers, reads } = parts;
  const auditor = createAuditor({ audit: store.audit, clock, newId, log });
  const organizations = administerOrganizations({
    organizations: store.organizations,
    jobs: parts.unfinishedJobs,
    auditor,
    clock,
    onChanged: (organization) => callers.organizationChanged(organization),
  });
  const keys = administerKeys({
    keys: store.keys,
    organizations: store.organizations,
    auditor,
    hashKey: parts.config.auth.hashKey ?? store.identity.hashKey,
    clock,
    newId,
    onRevoked: (hash) => callers.keyRevoked(hash),
  });
  const requireOrganization = (id: string) => organizations.requireKnown(id);
  return {
    auditor,
    routes: [
      adminOrganizationRoutes(organizations, gate),
      adminKeyRoutes(keys, gate),
      adminAuditRoutes(auditor, gate),
      adminJobRoutes({
        jobs: store.jobs,
        figures: store.readings.jobs,
        requireOrganization,
        clock,
        gate,
      }),
      usageRoutes({ usage: store.usage, requireOrganization, clock, gate, reads }),
      ...runningRoutes(parts, auditor),
    ],
  };
}

function runningRoutes(parts: AdministrationParts, auditor: Auditor): readonly RegisterRoutes[] {
  const { running, config, store, clock, gate, log } = parts;
  if (!running) return [];
  const isProvider = (name: string) => config.providers[name] !== undefined;
  const limits = administerLimits({
    limits: running.limits,
    auditor,
    clock,
    isProvider,
    // The limit has ended even if the jobs cannot be moved now; they then run at their former due time.
    onEnded: async ({ provider }) => {
      await parts.advanceDelayed(provider).catch((cause: unknown) => {
        logFailure(log, 'jobs that wait for a cleared limit could not be brought forward', cause);
      });
    },
  });
  const circuits = configuredCircuits(config);
  const breakers = administerBreakers({ breakers: running.breakers, auditor, circuits });
  return [
    adminLimitRoutes(limits, gate),
    adminBreakerRoutes(breakers, gate),
    adminLogRoutes(running.recentLog, gate),
    requestRoutes({
      requests: store.readings.requests,
      records: running.requestRecords,
      gate,
      clock,
    }),
    jobDetailsRoutes({ ...store, figures: store.readings.jobs, gate, clock }),
  ];
}
