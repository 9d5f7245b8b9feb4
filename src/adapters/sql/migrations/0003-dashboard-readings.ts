// The readings of the dashboard: samples of all servers, the list of requests of all organisations by time, and the list of
// jobs that failed. Each index serves one page in a time that does not grow with the table.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { SAMPLE_COLUMNS } from '../series/series-table.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { index, required, table } from './define-table.ts';

export async function createDashboardReadings(
  db: Kysely<Schema>,
  dialect: SqlDialect,
): Promise<void> {
  let samples = table(db, 'series_samples')
    .addColumn('resolution_ms', 'integer', required)
    .addColumn('starts_at', 'bigint', required)
    .addColumn('source', 'text', required);
  for (const column of SAMPLE_COLUMNS) samples = samples.addColumn(column, 'bigint', required);
  await samples
    .addPrimaryKeyConstraint('pk_series_samples', ['resolution_ms', 'starts_at', 'source'])
    .modifyEnd(dialect.clusteredByKey)
    .execute();
  await table(db, 'series_errors')
    .addColumn('resolution_ms', 'integer', required)
    .addColumn('starts_at', 'bigint', required)
    .addColumn('source', 'text', required)
    .addColumn('code', 'text', required)
    .addColumn('failures', 'bigint', required)
    .addPrimaryKeyConstraint('pk_series_errors', ['resolution_ms', 'starts_at', 'source', 'code'])
    .modifyEnd(dialect.clusteredByKey)
    .execute();
  await index(db, 'idx_usage_records_created_at', 'usage_records', ['created_at', 'id']);
  await index(
    db,
    'idx_jobs_unsuccessful',
    'jobs',
    ['state', 'id'],
    sql`state in ('failed', 'expired', 'cancelled')`,
  );
  if (dialect.name !== 'postgres') return;
  // A row is updated every few seconds until its interval ends: free space on the page keeps the update out of the index.
  for (const name of ['series_samples', 'series_errors'])
    await sql`alter table ${sql.table(name)} set (fillfactor = 60)`.execute(db);
}
