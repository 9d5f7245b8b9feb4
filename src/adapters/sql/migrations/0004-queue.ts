// The queues on the store; the statuses of queue-table.ts each have an index of their own.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { index, required, table } from './define-table.ts';

export async function queue(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
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
  // Most messages are gone within a second: packing them would cost more than the room they take.
  if (dialect.name === 'postgres')
    await sql`alter table queue_messages set (toast_tuple_target = 8160)`.execute(db);
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
