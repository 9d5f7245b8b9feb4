// The queues on the store. Each status of a message (queue/queue-table.ts) has a partial index of its own.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { SqlDialect } from '../../sql-dialect.ts';
import { index, required, table } from '../define-table.ts';

export async function createQueueTables(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
  await table(db, 'queue_messages')
    .addColumn('queue', 'text', required)
    .addColumn('id', 'text', required)
    .addColumn('body', 'text', required)
    .addColumn('tenant', 'text', required)
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
  // Most messages are deleted within a second: compressing them would cost more than their size on disk.
  if (dialect.name === 'postgres')
    await sql`alter table queue_messages set (toast_tuple_target = 8160)`.execute(db);
  const ready = sql`status = 'ready'`;
  await index(db, 'idx_queue_messages_ready', 'queue_messages', ['queue', 'tag', 'id'], ready);
  await index(
    db,
    'idx_queue_messages_tenant',
    'queue_messages',
    ['queue', 'tenant', 'priority desc', 'tag', 'id'],
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
  await table(db, 'tenant_queues')
    .addColumn('queue', 'text', required)
    .addColumn('tenant', 'text', required)
    .addColumn('last_tag', 'bigint', required)
    .addPrimaryKeyConstraint('pk_tenant_queues', ['queue', 'tenant'])
    .execute();
  await table(db, 'queue_heads')
    .addColumn('queue', 'text', (column) => column.primaryKey())
    .addColumn('head_tag', 'bigint', required)
    .execute();
}
