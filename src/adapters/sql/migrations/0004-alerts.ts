// Alerts that fire and have fired, and the notices about them that are not delivered yet. The index over the crossed budget
// thresholds finds the recent ones.

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { index, required, table } from './define-table.ts';

export async function createAlertTables(db: Kysely<Schema>): Promise<void> {
  await table(db, 'alerts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', required)
    .addColumn('metric', 'text', required)
    .addColumn('subject', 'text', required)
    .addColumn('severity', 'text', required)
    .addColumn('message', 'text', required)
    .addColumn('value', 'double precision', required)
    .addColumn('threshold', 'double precision', required)
    .addColumn('started_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .addColumn('server_id', 'text', required)
    .addColumn('budget', 'text')
    .execute();
  await index(db, 'idx_alerts_started_at', 'alerts', ['started_at', 'id']);
  await index(db, 'idx_alerts_ended_at', 'alerts', ['ended_at'], sql`ended_at is not null`);
  await db.schema
    .createIndex('idx_alerts_firing')
    .ifNotExists()
    .unique()
    .on('alerts')
    .columns(['name', 'subject'])
    .where(sql<boolean>`ended_at is null`)
    .execute();
  await table(db, 'alert_notices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('alert_id', 'text', required)
    .addColumn('phase', 'text', required)
    .addColumn('sink', 'text', required)
    .addColumn('text', 'text', required)
    .addColumn('failures', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('due_at', 'bigint', required)
    .execute();
  await index(db, 'idx_alert_notices_due_at', 'alert_notices', ['due_at']);
  await index(db, 'idx_budget_alerts_created_at', 'budget_alerts', ['created_at']);
}
