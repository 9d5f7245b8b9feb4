// The ports to the durable store, the same for either SQL store.

import { createAlertBoard } from '../adapters/sql/alerts/alert-board.ts';
import { createBudgetLevels } from '../adapters/sql/alerts/budget-levels.ts';
import { createAuditLog } from '../adapters/sql/audit-log.ts';
import { createIdempotencyStore } from '../adapters/sql/idempotency-store.ts';
import { createDeadLetterStore } from '../adapters/sql/jobs/dead-letter-store.ts';
import { createJobBacklog } from '../adapters/sql/jobs/job-backlog.ts';
import { createJobFigures } from '../adapters/sql/jobs/job-figures.ts';
import { createJobHistory } from '../adapters/sql/jobs/job-history.ts';
import { createJobRetention } from '../adapters/sql/jobs/job-retention.ts';
import { createKeyStore } from '../adapters/sql/key-store.ts';
import { createBudgetStore } from '../adapters/sql/metering/budget-store.ts';
import { createRequestList } from '../adapters/sql/metering/request-list.ts';
import { createSpendStore } from '../adapters/sql/metering/spend-store.ts';
import { createOrganizationStore } from '../adapters/sql/organization-store.ts';
import { createJobQueue } from '../adapters/sql/queue/job-queue.ts';
import type { QueueSignals } from '../adapters/sql/queue/queue-signals.ts';
import type { QueueOperations } from '../adapters/sql/queue/queue-table.ts';
import { createSeriesStore } from '../adapters/sql/series/series-store.ts';
import type { SqlStore } from '../adapters/sql/sql-dialect.ts';
import { createStaleAnswers } from '../adapters/sql/stale-answers.ts';
import { loadStoreIdentity, type StoreIdentity } from '../adapters/sql/store-identity.ts';
import type { AuditLog } from '../admission/audit-log.ts';
import { IDEMPOTENCY_RETENTION_MS, type IdempotencyStore } from '../admission/idempotency-store.ts';
import type { KeyStore } from '../admission/key-store.ts';
import type { OrganizationStore } from '../admission/organization-store.ts';
import { STALE_RETENTION_MS, type StaleAnswers } from '../admission/stale-answers.ts';
import type { AlertBoard } from '../alerts/alert-board.ts';
import type { BudgetLevels } from '../alerts/budget-levels.ts';
import type { DeadLetterStore } from '../jobs/ports/dead-letter-store.ts';
import type { JobBacklog } from '../jobs/ports/job-backlog.ts';
import type { JobFigures } from '../jobs/ports/job-figures.ts';
import type { JobHistory } from '../jobs/ports/job-history.ts';
import type { JobQueue } from '../jobs/ports/job-queue.ts';
import type { JobRetention } from '../jobs/ports/job-retention.ts';
import type { JobStore } from '../jobs/ports/job-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { BudgetStore } from '../metering/budgets/budget-store.ts';
import type { SharedBudgetStore } from '../metering/budgets/shared-budget-store.ts';
import type { SpendStore } from '../metering/spend/spend-store.ts';
import type { RequestList } from '../metering/usage/request-list.ts';
import type { UsageStore } from '../metering/usage/usage-store.ts';
import type { SeriesStore } from '../series/series-store.ts';
import type { Builds } from './open/open-builds.ts';

export type Store = {
  readonly identity: StoreIdentity;
  readonly keys: KeyStore;
  readonly organizations: OrganizationStore;
  readonly usage: UsageStore;
  readonly budgets: BudgetStore;
  /** Present where several servers share the budgets. */
  readonly sharedBudgets?: SharedBudgetStore;
  readonly audit: AuditLog;
  readonly alerts: AlertBoard;
  readonly budgetLevels: BudgetLevels;
  readonly backlog: JobBacklog;
  readonly jobs: JobStore;
  readonly history: JobHistory;
  readonly retention: JobRetention;
  readonly builds: Pick<Builds, 'events' | 'watch'>;
  readonly deadLetters: DeadLetterStore;
  readonly queue: JobQueue;
  readonly idempotency: IdempotencyStore;
  readonly staleAnswers: StaleAnswers;
  readonly series: SeriesStore;
  readonly readings: Readings;
  /**
   * The state of the store lock. `unavailable`: PostgreSQL cannot be reached. `conflict`: during an outage a server
   * with separate limits locked the store, so this server or the other must stop serving.
   */
  lockState(): 'locked' | 'unavailable' | 'conflict';
};

/** Reads for operators, on connections of their own where the store has several. */
export type Readings = {
  readonly requests: RequestList;
  readonly spend: SpendStore;
  readonly jobs: JobFigures;
};

export type PortParts = SqlStore & {
  /** Connections for readings; absent where the store has one connection. */
  readonly readingDb?: SqlStore['db'];
  readonly usage: UsageStore;
  readonly sharedBudgets?: SharedBudgetStore;
  readonly jobs: JobStore;
  readonly builds: Builds;
  readonly signals: QueueSignals;
  /** The store's own operations on queue messages, where it has faster ones. */
  readonly operations?: QueueOperations;
  /** The polling interval of queues that other processes publish to. */
  readonly pollMs?: number;
  readonly lockState: Store['lockState'];
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export async function openPorts(parts: PortParts): Promise<Store> {
  const { db, readingDb: reads = db, signals, clock, lifecycle } = parts;
  const queue = createJobQueue({ ...parts, newId });
  lifecycle.onClose('queue', () => queue.close());
  return {
    identity: await loadStoreIdentity(db, clock.now()),
    keys: createKeyStore(db),
    organizations: createOrganizationStore(db),
    usage: parts.usage,
    budgets: createBudgetStore(db),
    ...(parts.sharedBudgets ? { sharedBudgets: parts.sharedBudgets } : {}),
    audit: createAuditLog(db),
    alerts: createAlertBoard(db),
    budgetLevels: createBudgetLevels(db),
    backlog: createJobBacklog(db),
    jobs: parts.jobs,
    history: createJobHistory(db, parts.builds.progress),
    retention: createJobRetention(db),
    builds: parts.builds,
    deadLetters: createDeadLetterStore(db, signals),
    queue,
    idempotency: createIdempotencyStore(db, { retentionMs: IDEMPOTENCY_RETENTION_MS }),
    staleAnswers: createStaleAnswers(db, { retentionMs: STALE_RETENTION_MS }),
    series: createSeriesStore(db, reads),
    readings: {
      requests: createRequestList(reads),
      spend: createSpendStore(db, reads),
      jobs: createJobFigures(reads),
    },
    lockState: parts.lockState,
  };
}
