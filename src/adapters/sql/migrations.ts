// Every change to the tables, in order, written once for both stores. A migration that has been released is
// never edited: the next change is a new entry that adds (columns nullable or with a default, tables, indexes).

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { organizationsAndKeys } from './migrations/0001-organizations-and-keys.ts';
import { usage } from './migrations/0002-usage.ts';
import { jobs } from './migrations/0003-jobs.ts';
import { queue } from './migrations/0004-queue.ts';
import { auditLog } from './migrations/0005-audit-log.ts';
import { budgets } from './migrations/0006-budgets.ts';
import { idempotency } from './migrations/0007-idempotency.ts';
import { buildEvents } from './migrations/0008-build-events.ts';
import { staleAnswers } from './migrations/0009-stale-answers.ts';
import type { Schema } from './schema.ts';
import type { SqlDialect } from './sql-dialect.ts';

export function createMigrations(dialect: SqlDialect): Record<string, Migration> {
  return {
    '0001_organizations_and_keys': { up: organizationsAndKeys },
    '0002_usage': { up: (db: Kysely<Schema>) => usage(db, dialect) },
    '0003_jobs': { up: (db: Kysely<Schema>) => jobs(db, dialect) },
    '0004_queue': { up: (db: Kysely<Schema>) => queue(db, dialect) },
    '0005_audit_log': { up: auditLog },
    '0006_budgets': { up: (db: Kysely<Schema>) => budgets(db, dialect) },
    '0007_idempotency': { up: (db: Kysely<Schema>) => idempotency(db, dialect) },
    '0008_build_events': { up: (db: Kysely<Schema>) => buildEvents(db, dialect) },
    '0009_stale_answers': { up: (db: Kysely<Schema>) => staleAnswers(db, dialect) },
  };
}
