// The audit log on either SQL store, with keyset pagination over (created_at, id).

import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { AuditEntry, AuditLog } from '../../admission/audit-log.ts';
import type { AuditLogTable, Schema } from './schema.ts';
import { toNumber } from './sql-dialect.ts';

export function createAuditLog(db: Kysely<Schema>): AuditLog {
  return {
    async append(entry) {
      await db.insertInto('audit_log').values(toRow(entry)).execute();
    },
    async list({ organizationId, before, limit }) {
      const rows = await db
        .selectFrom('audit_log')
        .selectAll()
        .$if(organizationId !== undefined, (query) =>
          query.where('organization_id', '=', organizationId ?? ''),
        )
        .$if(before !== undefined, (query) =>
          query.where(sql<boolean>`(created_at, id) < (${before?.createdAt}, ${before?.id})`),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toEntry);
    },
  };
}

function toRow(entry: AuditEntry): Insertable<AuditLogTable> {
  return {
    id: entry.id,
    actor: entry.actor,
    action: entry.action,
    target: entry.target,
    organization_id: entry.organizationId ?? null,
    request_id: entry.requestId ?? null,
    data: entry.data === undefined ? null : JSON.stringify(entry.data),
    created_at: entry.createdAt,
  };
}

function toEntry(row: Selectable<AuditLogTable>): AuditEntry {
  return {
    id: row.id,
    actor: row.actor,
    action: row.action,
    target: row.target,
    organizationId: row.organization_id ?? undefined,
    requestId: row.request_id ?? undefined,
    data: row.data === null ? undefined : (JSON.parse(row.data) as Record<string, unknown>),
    createdAt: toNumber(row.created_at),
  };
}
