// Budgets: posted and reserved amounts by month, the reservations of attempts that have not ended, the allotments of
// servers, and the thresholds that have been reported.

import type { Kysely } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { SqlDialect } from '../../sql-dialect.ts';
import { index, required, table } from '../define-table.ts';

export async function createBudgetTables(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
  await table(db, 'budget_periods')
    .addColumn('organization_id', 'text', required)
    .addColumn('month', 'integer', required)
    .addColumn('kind', 'text', required)
    .addColumn('scope_id', 'text', required)
    .addColumn('posted_nanos', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('reserved_nanos', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('short_at', 'bigint')
    .addPrimaryKeyConstraint('pk_budget_periods', ['organization_id', 'month', 'kind', 'scope_id'])
    .modifyEnd(dialect.clusteredByKey)
    .execute();
  await createReservations(db);
  await table(db, 'budget_allotments')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('server_id', 'text', required)
    .addColumn('organization_id', 'text', required)
    .addColumn('month', 'integer', required)
    .addColumn('kind', 'text', required)
    .addColumn('scope_id', 'text', required)
    .addColumn('purpose', 'text', required)
    .addColumn('amount_nanos', 'bigint', required)
    .addColumn('version', 'bigint', required)
    .addColumn('expires_at', 'bigint', required)
    .execute();
  await index(db, 'idx_budget_allotments_server', 'budget_allotments', ['server_id']);
  await index(db, 'idx_budget_allotments_organization', 'budget_allotments', ['organization_id']);
  await index(db, 'idx_budget_allotments_expires_at', 'budget_allotments', ['expires_at']);
  await table(db, 'budget_alerts')
    .addColumn('organization_id', 'text', required)
    .addColumn('month', 'integer', required)
    .addColumn('kind', 'text', required)
    .addColumn('scope_id', 'text', required)
    .addColumn('percent', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('pk_budget_alerts', [
      'organization_id',
      'month',
      'kind',
      'scope_id',
      'percent',
    ])
    .execute();
}

async function createReservations(db: Kysely<Schema>): Promise<void> {
  await table(db, 'budget_reservations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('request_id', 'text', required)
    .addColumn('attempt', 'integer', required)
    .addColumn('organization_id', 'text', required)
    .addColumn('key_id', 'text', required)
    .addColumn('user_id', 'text')
    .addColumn('category', 'text')
    .addColumn('provider', 'text', required)
    .addColumn('model', 'text', required)
    .addColumn('streamed', 'integer', required)
    .addColumn('amount_nanos', 'bigint', required)
    .addColumn('reserves_key', 'integer', required)
    .addColumn('reserves_user', 'integer', required)
    .addColumn('month', 'integer', required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('is_void', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await index(db, 'idx_budget_reservations_expires_at', 'budget_reservations', ['expires_at']);
}
