// Usage records, one per attempt, and their hourly roll-ups.

import type { Kysely } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { SqlDialect } from '../../sql-dialect.ts';
import { index, required, table } from '../define-table.ts';

export async function createUsageTables(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
  await table(db, 'usage_records')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('request_id', 'text', required)
    .addColumn('attempt', 'integer', required)
    .addColumn('organization_id', 'text', required)
    .addColumn('key_id', 'text', required)
    .addColumn('user_id', 'text')
    .addColumn('provider', 'text', required)
    .addColumn('model', 'text', required)
    .addColumn('input_tokens', 'bigint', required)
    .addColumn('output_tokens', 'bigint', required)
    .addColumn('cache_read_tokens', 'bigint', required)
    .addColumn('cache_write_tokens', 'bigint', required)
    .addColumn('cache_write_1h_tokens', 'bigint', required)
    .addColumn('reasoning_tokens', 'bigint', required)
    .addColumn('cost_nanos', 'bigint', required)
    .addColumn('category', 'text')
    .addColumn('latency_ms', 'bigint', required)
    .addColumn('status', 'text', required)
    .addColumn('streamed', 'integer', required)
    .addColumn('estimated', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('budget_month', 'integer')
    .modifyEnd(dialect.clusteredByKey)
    .execute();
  await index(db, 'idx_usage_records_organization', 'usage_records', [
    'organization_id',
    'created_at',
    'id',
  ]);
  await table(db, 'usage_rollups')
    .addColumn('organization_id', 'text', required)
    .addColumn('hour_start', 'bigint', required)
    .addColumn('key_id', 'text', required)
    .addColumn('user_id', 'text', required)
    .addColumn('provider', 'text', required)
    .addColumn('model', 'text', required)
    .addColumn('category', 'text', required)
    .addColumn('attempts', 'bigint', required)
    .addColumn('failures', 'bigint', required)
    .addColumn('input_tokens', 'bigint', required)
    .addColumn('output_tokens', 'bigint', required)
    .addColumn('cache_read_tokens', 'bigint', required)
    .addColumn('cache_write_tokens', 'bigint', required)
    .addColumn('cost_nanos', 'bigint', required)
    .addPrimaryKeyConstraint('pk_usage_rollups', [
      'organization_id',
      'hour_start',
      'provider',
      'model',
      'user_id',
      'category',
      'key_id',
    ])
    .modifyEnd(dialect.clusteredByKey)
    .execute();
  await index(db, 'idx_usage_rollups_hour', 'usage_rollups', ['hour_start']);
}
