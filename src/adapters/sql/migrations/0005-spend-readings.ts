// The readings of money: usage of all organisations by hour, provider and model, and the organisations with spending in a
// month. The hourly rows are derived from usage_rollups (metering/spend-store.ts) and can be deleted at any time.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { index, required, table } from './define-table.ts';

export async function createSpendReadings(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
  await table(db, 'usage_hours')
    .addColumn('hour_start', 'bigint', required)
    .addColumn('provider', 'text', required)
    .addColumn('model', 'text', required)
    .addColumn('attempts', 'bigint', required)
    .addColumn('cost_nanos', 'bigint', required)
    .addPrimaryKeyConstraint('pk_usage_hours', ['hour_start', 'provider', 'model'])
    .modifyEnd(dialect.clusteredByKey)
    .execute();
  // Without the amounts, so that a posting does not touch it.
  await index(
    db,
    'idx_budget_periods_month',
    'budget_periods',
    ['month', 'organization_id'],
    sql`kind = 'organization'`,
  );
}
