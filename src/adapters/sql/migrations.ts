// Every change to the tables, in order, written once for both stores. A migration that has been released is
// never edited: the next change is a new entry that adds (columns nullable or with a default, tables, indexes).
// This file is data.

import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Schema } from './schema.ts';
import type { SqlDialect } from './sql-dialect.ts';

export function createMigrations(_dialect: SqlDialect): Record<string, Migration> {
  return {
    '0001_organizations_and_keys': { up: organizationsAndKeys },
    '0002_usage': { up: usage },
    '0003_jobs': { up: jobs },
    '0004_queue': { up: queue },
    '0005_audit_log': { up: auditLog },
  };
}

async function organizationsAndKeys(db: Kysely<Schema>): Promise<void> {
  await table(db, 'meta')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .execute();
  await table(db, 'organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', required)
    .addColumn('monthly_budget_nanos', 'bigint', required)
    .addColumn('requests_per_minute', 'integer', required)
    .addColumn('tokens_per_minute', 'bigint')
    .addColumn('tokens_per_day', 'bigint')
    .addColumn('max_concurrent', 'integer')
    .addColumn('locale', 'text')
    .addColumn('time_zone', 'text', required)
    .addColumn('messages', 'text', required)
    .addColumn('allow_stale', 'integer', required)
    .addColumn('allow_prompt_preview', 'integer', required)
    .addColumn('webhook_secret', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await table(db, 'api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id'),
    )
    .addColumn('name', 'text', required)
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('prefix', 'text', required)
    .addColumn('scopes', 'text', required)
    .addColumn('diagnostics', 'integer', required)
    .addColumn('monthly_budget_nanos', 'bigint')
    .addColumn('requests_per_minute', 'integer')
    .addColumn('models', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .execute();
  await index(db, 'idx_api_keys_organization', 'api_keys', ['organization_id', 'id']);
  await index(
    db,
    'idx_api_keys_revoked_at',
    'api_keys',
    ['revoked_at'],
    sql`revoked_at is not null`,
  );
}

async function usage(db: Kysely<Schema>): Promise<void> {
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
    .execute();
  await index(db, 'idx_usage_rollups_hour', 'usage_rollups', ['hour_start']);
}

async function jobs(db: Kysely<Schema>): Promise<void> {
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
  await index(db, 'idx_jobs_organization', 'jobs', ['organization_id', 'id']);
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
  await bodyTable(db, 'job_payloads', 'message');
  await bodyTable(db, 'job_results', 'result');
  await table(db, 'job_events')
    .addColumn('job_id', 'text', ofJob)
    .addColumn('sequence', 'integer', required)
    .addColumn('type', 'text', required)
    .addColumn('data', 'text')
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('pk_job_events', ['job_id', 'sequence'])
    .execute();
  await table(db, 'job_attempts')
    .addColumn('job_id', 'text', ofJob)
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
}

async function queue(db: Kysely<Schema>): Promise<void> {
  await table(db, 'queue_messages')
    .addColumn('queue', 'text', required)
    .addColumn('id', 'text', required)
    .addColumn('body', 'text', required)
    .addColumn('lane', 'text', required)
    .addColumn('priority', 'integer', required)
    .addColumn('tag', 'bigint', required)
    .addColumn('status', 'text', required)
    .addColumn('visible_at', 'bigint', required)
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('deliveries', 'integer', required)
    .addColumn('published_at', 'bigint', required)
    .addPrimaryKeyConstraint('pk_queue_messages', ['queue', 'id'])
    .execute();
  const ready = sql`status = 'ready'`;
  await index(db, 'idx_queue_messages_ready', 'queue_messages', ['queue', 'tag', 'id'], ready);
  await index(
    db,
    'idx_queue_messages_lane',
    'queue_messages',
    ['queue', 'lane', 'priority desc', 'tag', 'id'],
    ready,
  );
  await index(
    db,
    'idx_queue_messages_waiting',
    'queue_messages',
    ['queue', 'visible_at'],
    sql`status = 'waiting'`,
  );
  await index(
    db,
    'idx_queue_messages_leased',
    'queue_messages',
    ['queue', 'lease_until'],
    sql`status = 'leased'`,
  );
  await table(db, 'queue_lanes')
    .addColumn('queue', 'text', required)
    .addColumn('lane', 'text', required)
    .addColumn('last_tag', 'bigint', required)
    .addPrimaryKeyConstraint('pk_queue_lanes', ['queue', 'lane'])
    .execute();
  await table(db, 'queue_heads')
    .addColumn('queue', 'text', (column) => column.primaryKey())
    .addColumn('head_tag', 'bigint', required)
    .execute();
}

async function auditLog(db: Kysely<Schema>): Promise<void> {
  await table(db, 'audit_log')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('actor', 'text', required)
    .addColumn('action', 'text', required)
    .addColumn('target', 'text', required)
    .addColumn('organization_id', 'text')
    .addColumn('request_id', 'text')
    .addColumn('data', 'text')
    .addColumn('created_at', 'bigint', required)
    .execute();
  await index(db, 'idx_audit_log_created_at', 'audit_log', ['created_at', 'id']);
}

type ColumnOf = Parameters<CreateTableBuilder<string>['addColumn']>[2];

const required: ColumnOf = (column) => column.notNull();

const ofJob: ColumnOf = (column) => column.notNull().references('jobs.id').onDelete('cascade');

function table(db: Kysely<Schema>, name: keyof Schema): CreateTableBuilder<string> {
  return db.schema.createTable(name).ifNotExists();
}

function bodyTable(db: Kysely<Schema>, name: keyof Schema, column: string): Promise<void> {
  return table(db, name)
    .addColumn('job_id', 'text', (key) =>
      key.primaryKey().references('jobs.id').onDelete('cascade'),
    )
    .addColumn(column, 'text', required)
    .execute();
}

function index(
  db: Kysely<Schema>,
  name: string,
  on: keyof Schema,
  columns: readonly string[],
  where?: ReturnType<typeof sql<unknown>>,
): Promise<void> {
  const created = db.schema
    .createIndex(name)
    .ifNotExists()
    .on(on)
    .columns([...columns]);
  return (where ? created.where(sql<boolean>`${where}`) : created).execute();
}
