// What was answered to requests that carried a key of the caller's. No reference to the organisations: operators, who
// belong to none, have keys too, and a row is gone within a day anyway.

import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { index, required, table } from './define-table.ts';

export async function idempotency(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
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
}
