// The last good answers of requests that would rather have an old one than none.

import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { index, required, table } from './define-table.ts';

export async function staleAnswers(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
  await table(db, 'stale_answers')
    .addColumn('organization_id', 'text', required)
    .addColumn('fingerprint', 'text', required)
    .addColumn('status', 'integer', required)
    .addColumn('headers', 'text', required)
    .addColumn('body', dialect.bytesType, required)
    .addColumn('kept_at', 'bigint', required)
    .addPrimaryKeyConstraint('pk_stale_answers', ['organization_id', 'fingerprint'])
    .execute();
  await index(db, 'idx_stale_answers_kept_at', 'stale_answers', ['kept_at']);
}
