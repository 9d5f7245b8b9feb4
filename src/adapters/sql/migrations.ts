// The migrations of both stores, in order. A released migration is never edited: the next change is a new entry that
// adds tables, indexes, or columns that are nullable or have a default. Functions of PostgreSQL are not migrated; they
// are replaced when their files change (postgres/functions).

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createBudgetTables } from './migrations/0001-baseline/budgets.ts';
import { createBuildEventTable } from './migrations/0001-baseline/build-events.ts';
import { createJobTables } from './migrations/0001-baseline/jobs.ts';
import { createOrganizationTables } from './migrations/0001-baseline/organizations.ts';
import { createQueueTables } from './migrations/0001-baseline/queues.ts';
import { createStoredAnswerTables } from './migrations/0001-baseline/stored-answers.ts';
import { createUsageTables } from './migrations/0001-baseline/usage.ts';
import { addOrganizationTombstones } from './migrations/0002-organization-tombstones.ts';
import { createDashboardReadings } from './migrations/0003-dashboard-readings.ts';
import { createAlertTables } from './migrations/0004-alerts.ts';
import { createSpendReadings } from './migrations/0005-spend-readings.ts';
import { addFirstContent } from './migrations/0006-first-content.ts';
import type { Schema } from './schema.ts';
import type { SqlDialect } from './sql-dialect.ts';

export function createMigrations(dialect: SqlDialect): Record<string, Migration> {
  return {
    '0001_baseline': {
      async up(db: Kysely<Schema>) {
        await createOrganizationTables(db);
        await createUsageTables(db, dialect);
        await createBudgetTables(db, dialect);
        await createJobTables(db, dialect);
        await createQueueTables(db, dialect);
        await createStoredAnswerTables(db, dialect);
        await createBuildEventTable(db, dialect);
      },
    },
    '0002_organization_tombstones': { up: addOrganizationTombstones },
    '0003_dashboard_readings': { up: (db: Kysely<Schema>) => createDashboardReadings(db, dialect) },
    '0004_alerts': { up: createAlertTables },
    '0005_spend_readings': { up: (db: Kysely<Schema>) => createSpendReadings(db, dialect) },
    '0006_first_content': { up: addFirstContent },
  };
}
