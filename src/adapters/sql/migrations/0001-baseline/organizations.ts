// The store's identity, organisations, their keys, and the audit log of operators' actions.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../schema.ts';
import { index, required, table } from '../define-table.ts';

export async function createOrganizationTables(db: Kysely<Schema>): Promise<void> {
  await table(db, 'meta')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .execute();
  await table(db, 'organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', required)
    .addColumn('monthly_budget_nanos', 'bigint', required)
    .addColumn('user_monthly_budget_nanos', 'bigint')
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
  await index(db, 'idx_organizations_updated_at', 'organizations', ['updated_at']);
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
