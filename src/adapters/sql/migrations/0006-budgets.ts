// What is spent and reserved of each budget, by month; the reservations of attempts that have not ended; what servers have set
// aside for when the store is away; and which thresholds were told of.

import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { index, required, table } from './define-table.ts';

export async function budgets(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
  await db.schema
    .alterTable('organizations')
    .addColumn('user_monthly_budget_nanos', 'bigint')
    .execute();
  await db.schema.alterTable('usage_records').addColumn('budget_month', 'integer').execute();
  await table(db, 'budget_periods')
    .addColumn('organization_id', 'text', required)
    .addColumn('month', 'integer', required)
    .addColumn('kind', 'text', required)
    .addColumn('scope_id', 'text', required)
    .addColumn('posted_nanos', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('reserved_nanos', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('short_at', 'bigint')
    .addPrimaryKeyConstraint('pk_budget_periods', ['organization_id', 'month', 'kind', 'scope_id'])
    .modifyEnd(dialect.keptByKey)
    .execute();
  await reservations(db);
  await table(db, 'budget_reserves')
    .addColumn('server_id', 'text', required)
    .addColumn('organization_id', 'text', required)
    .addColumn('month', 'integer', required)
    .addColumn('kind', 'text', required)
    .addColumn('scope_id', 'text', required)
    .addColumn('amount_nanos', 'bigint', required)
    .addColumn('expires_at', 'bigint', required)
    .addPrimaryKeyConstraint('pk_budget_reserves', [
      'server_id',
      'organization_id',
      'month',
      'kind',
      'scope_id',
    ])
    .execute();
  await index(db, 'idx_budget_reserves_expires_at', 'budget_reserves', ['expires_at']);
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

async function reservations(db: Kysely<Schema>): Promise<void> {
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
