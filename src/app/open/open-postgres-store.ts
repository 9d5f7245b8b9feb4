// Opens the store of a cluster: takes it, sees that it is migrated, and gives its ports. Everything that an operator
// can mend is one sentence. Once it is open, a PostgreSQL that goes away is waited for; at the start it is not,
// unless it says itself that it is starting.

import {
  migratePostgres,
  pendingInPostgres,
} from '../../adapters/postgres/connection/migrate-postgres.ts';
import {
  openPostgres,
  type PostgresStore,
} from '../../adapters/postgres/connection/open-postgres.ts';
import {
  isStartingUp,
  placeOf,
  whyUnusable,
} from '../../adapters/postgres/connection/why-unusable.ts';
import { createPostgresJobStore } from '../../adapters/postgres/jobs/job-store.ts';
import { createPostgresMessageHandling } from '../../adapters/postgres/jobs/message-handling.ts';
import { createSharedBudgetStore } from '../../adapters/postgres/metering/shared-budget-store.ts';
import { createPostgresUsageStore } from '../../adapters/postgres/metering/usage-store.ts';
import { type HeldStore, holdStore } from '../../adapters/postgres/store-lock/claim-store.ts';
import { takeOverStore } from '../../adapters/sql/take-over.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { StartFailure } from '../start-failure.ts';
import { openPorts, type Store } from '../store-ports.ts';
import { LOOK_EVERY_MS, openBuilds } from './open-builds.ts';

export type PostgresParts = {
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly migrateOnStart?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

/** Notifications tell of new messages at once; this finds those whose notification was lost. */
const POLL_MS = 1000;

export async function openPostgresStore(parts: PostgresParts): Promise<Store> {
  const { databaseUrl, clock, lifecycle } = parts;
  const isShared = parts.redisUrl !== undefined;
  return orSentence(databaseUrl, async () => {
    const held = await hold(parts, isShared);
    // Released last: nobody else may have the store while something of ours is still being written.
    lifecycle.onClose('store hold', () => held.release());
    const postgres = openPostgres(databaseUrl);
    lifecycle.onClose('store', () => postgres.close());
    await ensureMigrated(postgres, parts);
    if (!isShared) await takeOverStore(postgres.db, clock.now());
    const builds = openBuilds(postgres, { ...parts, lookEveryMs: LOOK_EVERY_MS });
    return openPorts({
      ...parts,
      ...postgres,
      usage: createPostgresUsageStore(postgres),
      sharedBudgets: createSharedBudgetStore(postgres),
      jobs: createPostgresJobStore({ store: postgres, signals: held.signals, ...builds }),
      builds,
      signals: held.signals,
      handling: createPostgresMessageHandling(postgres),
      ...(isShared ? { pollMs: POLL_MS } : {}),
      holdState: () => held.state(),
    });
  });
}

/** What an operator can mend becomes a sentence; anything else is a defect and keeps its stack. */
export async function orSentence<T>(databaseUrl: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const why = error instanceof StartFailure ? undefined : whyUnusable(rootOf(error));
    if (why === undefined) throw error;
    throw new StartFailure(`The PostgreSQL at ${placeOf(databaseUrl)} ${why}.`);
  }
}

/** A migration that fails is wrapped in a sentence of its own. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

const START_UP_PATIENCE_MS = 20_000;
const ASK_AGAIN_MS = 500;

async function hold(parts: PostgresParts, isShared: boolean): Promise<HeldStore> {
  const { databaseUrl, clock, log } = parts;
  const until = clock.monotonic() + START_UP_PATIENCE_MS;
  for (;;) {
    try {
      const held = await holdStore(databaseUrl, { isShared, clock, log });
      if (held.kind === 'held') return held;
      throw new StartFailure(inUseSentence(databaseUrl, held.address, isShared));
    } catch (error) {
      if (!isStartingUp(error) || clock.monotonic() > until) throw error;
      await sleep(clock, ASK_AGAIN_MS);
    }
  }
}

function inUseSentence(url: string, address: string | undefined, isShared: boolean): string {
  const where = address === undefined ? '' : ` (connected from ${address})`;
  const who = isShared ? 'a Spillway that has no REDIS_URL' : 'another Spillway';
  return `The PostgreSQL store at ${placeOf(url)} is in use by ${who}${where}; stop that one, or give both the same REDIS_URL so that they share their limits.`;
}

async function ensureMigrated(
  postgres: PostgresStore,
  { databaseUrl, migrateOnStart, log }: PostgresParts,
): Promise<void> {
  const pending = await pendingInPostgres(postgres);
  if (pending.length === 0) return;
  if (!migrateOnStart)
    throw new StartFailure(
      `The PostgreSQL store at ${placeOf(databaseUrl)} is not up to date (pending: ${pending.join(', ')}); run \`spillway migrate\` or set MIGRATE_ON_START=true.`,
    );
  const migrations = await migratePostgres(databaseUrl);
  log.write({
    level: 'info',
    type: 'audit',
    message: 'the store was migrated',
    metadata: { migrations },
  });
}
