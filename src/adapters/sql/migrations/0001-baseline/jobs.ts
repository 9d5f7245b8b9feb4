// Jobs with their payloads, results, events and attempts, and dead letters. Rows that belong to a job have no foreign key:
// they are inserted and deleted together with it, and checking a constraint for each would cost as much as inserting it.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { SqlDialect } from '../../sql-dialect.ts';
import { index, required, table, textTable, vacuumRarely } from '../define-table.ts';

export async function createJobTables(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
  await table(db, 'jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', required)
    .addColumn('public_id', 'text', required)
    .addColumn('origin', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('fence', 'bigint', required)
    .addColumn('run', 'integer', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('losses', 'integer', required)
    .addColumn('event_count', 'integer', required)
    .addColumn('priority', 'integer', required)
    .addColumn('queue', 'text', required)
    .addColumn('provider', 'text')
    .addColumn('model', 'text')
    .addColumn('key_id', 'text')
    .addColumn('user_id', 'text')
    .addColumn('request_id', 'text')
    .addColumn('locale', 'text')
    .addColumn('time_zone', 'text')
    .addColumn('trace_parent', 'text')
    .addColumn('callback_url', 'text')
    .addColumn('metadata', 'text')
    .addColumn('wait_code', 'text')
    .addColumn('error', 'text')
    .addColumn('run_at', 'bigint', required)
    .addColumn('published_at', 'bigint', required)
    .addColumn('deadline_at', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addUniqueConstraint('uq_jobs_public_id', ['organization_id', 'public_id'])
    .execute();
  await index(db, 'idx_jobs_organization_state', 'jobs', ['organization_id', 'state', 'id']);
  await index(
    db,
    'idx_jobs_waiting',
    'jobs',
    ['run_at', 'id'],
    sql`state in ('queued', 'delayed')`,
  );
  await index(db, 'idx_jobs_running', 'jobs', ['lease_until'], sql`state = 'running'`);
  await index(
    db,
    'idx_jobs_deadline',
    'jobs',
    ['deadline_at'],
    sql`deadline_at is not null and state in ('queued', 'delayed')`,
  );
  await index(db, 'idx_jobs_finished', 'jobs', ['finished_at'], sql`finished_at is not null`);
  await textTable(db, 'job_payloads', 'message');
  await textTable(db, 'job_results', 'result');
  await table(db, 'job_events')
    .addColumn('job_id', 'text', required)
    .addColumn('sequence', 'integer', required)
    .addColumn('type', 'text', required)
    .addColumn('data', 'text')
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('pk_job_events', ['job_id', 'sequence'])
    .execute();
  await table(db, 'job_attempts')
    .addColumn('job_id', 'text', required)
    .addColumn('run', 'integer', required)
    .addColumn('attempt', 'integer', required)
    .addColumn('provider', 'text')
    .addColumn('model', 'text')
    .addColumn('worker_id', 'text')
    .addColumn('outcome', 'text')
    .addColumn('error_code', 'text')
    .addColumn('cost_nanos', 'bigint')
    .addColumn('partial_output', 'text')
    .addColumn('started_at', 'bigint', required)
    .addColumn('finished_at', 'bigint')
    .addPrimaryKeyConstraint('pk_job_attempts', ['job_id', 'run'])
    .execute();
  await table(db, 'dead_letters')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job_id', 'text')
    .addColumn('organization_id', 'text')
    .addColumn('queue', 'text', required)
    .addColumn('body', 'text', required)
    .addColumn('error_code', 'text', required)
    .addColumn('error_message', 'text', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .execute();
  await index(db, 'idx_dead_letters_job', 'dead_letters', ['job_id']);
  if (dialect.name !== 'postgres') return;
  // An attempt's row is updated once, at its end: free space on the page lets the update skip the index (HOT update).
  await sql`alter table job_attempts set (fillfactor = 60)`.execute(db);
  for (const name of ['job_payloads', 'job_results', 'job_events']) await vacuumRarely(db, name);
}
