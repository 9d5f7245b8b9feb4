// Opens a PostgreSQL store: locks it, checks its migrations and returns its ports. A failure that an operator can fix
// becomes a StartFailure with one sentence. A start waits for PostgreSQL only while PostgreSQL reports that it is
// starting up; a running server survives any outage.

import {
  addressOf,
  describeFailure,
  isStartingUp,
} from '../../adapters/postgres/connection/connection-failure.ts';
import { detectPooling } from '../../adapters/postgres/connection/detect-pooling.ts';
import {
  migratePostgres,
  pendingInPostgres,
} from '../../adapters/postgres/connection/migrate-postgres.ts';
import {
  openPostgres,
  type PostgresStore,
} from '../../adapters/postgres/connection/open-postgres.ts';
import { createPostgresJobStore } from '../../adapters/postgres/jobs/job-store.ts';
import { createPostgresQueueOperations } from '../../adapters/postgres/jobs/queue-operations.ts';
import { createSharedBudgetStore } from '../../adapters/postgres/metering/shared-budget-store.ts';
import { createPostgresUsageStore } from '../../adapters/postgres/metering/usage-store.ts';
import { type LockedStore, lockStore } from '../../adapters/postgres/store-lock/lock-store.ts';
import { releaseLeases } from '../../adapters/sql/release-leases.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { StartFailure } from '../start-failure.ts';
import { openPorts, type Store } from '../store-ports.ts';
import { BUILD_POLL_MS, openBuilds } from './open-builds.ts';

export type PostgresParts = {
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly migrateOnStart?: boolean | undefined;
  readonly unownedOrganization?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

/** A notification announces a new message; polling finds the message when the notification is lost. */
const POLL_MS = 1000;

/** Readings for operators have their own connections, so that they do not delay requests. */
const READING_OPTIONS = {
  maxConnections: 2,
  statementTimeoutMs: 2000,
  queryTimeoutMs: 3000,
  applicationName: 'spillway-readings',
};

export async function openPostgresStore(parts: PostgresParts): Promise<Store> {
  const { databaseUrl, clock, lifecycle } = parts;
  const isShared = parts.redisUrl !== undefined;
  return withStartFailures(databaseUrl, async () => {
    const locked = await acquireLock(parts, isShared);
    // Registered first and so released last: another server must not lock the store during this one's last writes.
    lifecycle.onClose('store lock', () => locked.release());
    const postgres = openPostgres(databaseUrl);
    lifecycle.onClose('store', () => postgres.close());
    const readings = openPostgres(databaseUrl, READING_OPTIONS);
    lifecycle.onClose('readings', () => readings.close());
    await ensureMigrated(postgres, parts);
    if (!isShared) await releaseLeases(postgres.db, clock.now());
    const builds = openBuilds(postgres, { ...parts, pollMs: BUILD_POLL_MS });
    return openPorts({
      ...parts,
      ...postgres,
      readingDb: readings.db,
      usage: createPostgresUsageStore(postgres),
      sharedBudgets: createSharedBudgetStore(postgres),
      jobs: createPostgresJobStore({ store: postgres, signals: locked.signals, ...builds }),
      builds,
      signals: locked.signals,
      operations: createPostgresQueueOperations(postgres),
      ...(isShared ? { pollMs: POLL_MS } : {}),
      lockState: () => locked.state(),
    });
  });
}

/** Turns a failure that an operator can fix into a StartFailure; any other is a defect and keeps its stack. */
export async function withStartFailures<T>(
  databaseUrl: string,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const failure = error instanceof StartFailure ? undefined : describeFailure(rootOf(error));
    if (failure === undefined) throw error;
    throw new StartFailure(`The PostgreSQL at ${addressOf(databaseUrl)} ${failure}.`);
  }
}

export async function refuseTransactionPooling(databaseUrl: string): Promise<void> {
  if ((await detectPooling(databaseUrl)) !== 'transaction') return;
  throw new StartFailure(
    `The PostgreSQL at ${addressOf(databaseUrl)} is behind a connection pooler that pools transactions, but Spillway needs sessions (for its store lock, notifications and prepared statements); set DATABASE_URL to PostgreSQL itself, or set pool_mode = session for its database in PgBouncer.`,
  );
}

/** The migrator wraps the driver's error in its own. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

const MAX_STARTUP_WAIT_MS = 20_000;
const STARTUP_RETRY_MS = 500;

async function acquireLock(parts: PostgresParts, isShared: boolean): Promise<LockedStore> {
  const { databaseUrl, clock, log } = parts;
  const until = clock.monotonic() + MAX_STARTUP_WAIT_MS;
  for (;;) {
    try {
      await refuseTransactionPooling(databaseUrl);
      const locked = await lockStore(databaseUrl, { isShared, clock, log });
      if (locked.kind === 'locked') return locked;
      throw new StartFailure(inUseMessage(databaseUrl, locked.address, isShared));
    } catch (error) {
      if (!isStartingUp(error) || clock.monotonic() > until) throw error;
      await sleep(clock, STARTUP_RETRY_MS);
    }
  }
}

function inUseMessage(url: string, address: string | undefined, isShared: boolean): string {
  const where = address === undefined ? '' : ` (connected from ${address})`;
  const owner = isShared ? 'a Spillway that has no REDIS_URL' : 'another Spillway';
  return `The PostgreSQL store at ${addressOf(url)} is in use by ${owner}${where}; stop that one, or give both the same REDIS_URL so that they share their limits.`;
}

async function ensureMigrated(
  postgres: PostgresStore,
  { databaseUrl, migrateOnStart, log }: PostgresParts,
): Promise<void> {
  const pending = await pendingInPostgres(postgres);
  if (pending.length === 0) return;
  if (!migrateOnStart)
    throw new StartFailure(
      `The PostgreSQL store at ${addressOf(databaseUrl)} is not up to date (pending: ${pending.join(', ')}); run \`spillway migrate\` or set MIGRATE_ON_START=true.`,
    );
  const migrations = await migratePostgres(databaseUrl);
  log.write({
    level: 'info',
    type: 'audit',
    message: 'the store was migrated',
    metadata: { migrations },
  });
}
