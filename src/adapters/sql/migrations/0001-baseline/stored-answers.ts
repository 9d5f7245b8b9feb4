// Stored responses: to requests with an idempotency key, and the last good ones for callers that accept stale answers.
// idempotency_keys has no foreign key to organizations: operators, without an organisation, use keys too.

import type { Kysely } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { SqlDialect } from '../../sql-dialect.ts';
import { index, required, table } from '../define-table.ts';

export async function createStoredAnswerTables(
  db: Kysely<Schema>,
  dialect: SqlDialect,
): Promise<void> {
  await table(db, 'idempotency_keys')
    .addColumn('organization_id', 'text', required)
    .addColumn('key', 'text', required)
    .addColumn('fingerprint', 'text', required)
    .addColumn('request_id', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('changed_at', 'bigint', required)
    .addColumn('deadline_at', 'bigint', required)
    .addColumn('status', 'integer')
    .addColumn('headers', 'text')
    .addColumn('body', dialect.bytesType)
    .addPrimaryKeyConstraint('pk_idempotency_keys', ['organization_id', 'key'])
    .execute();
  await index(db, 'idx_idempotency_keys_changed_at', 'idempotency_keys', ['changed_at']);
  await table(db, 'stale_answers')
    .addColumn('organization_id', 'text', required)
    .addColumn('fingerprint', 'text', required)
    .addColumn('status', 'integer', required)
    .addColumn('headers', 'text', required)
    .addColumn('body', dialect.bytesType, required)
    .addColumn('stored_at', 'bigint', required)
    .addPrimaryKeyConstraint('pk_stale_answers', ['organization_id', 'fingerprint'])
    .execute();
  await index(db, 'idx_stale_answers_stored_at', 'stale_answers', ['stored_at']);
}
