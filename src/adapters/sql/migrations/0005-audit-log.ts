// What operators did.

import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import { index, required, table } from './define-table.ts';

export async function auditLog(db: Kysely<Schema>): Promise<void> {
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
