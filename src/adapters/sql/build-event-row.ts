// Converts build events to rows and back. On PostgreSQL the table may belong to a product: timestamps are timestamptz,
// flags are booleans, and numbers are cast to the type of their column. On SQLite timestamps and flags are integers.

import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { BuildEvent, NewBuildEvent, StoredError } from '../../events/build-event.ts';
import type { BuildEventsTable } from './build-events-table.ts';
import { fromJson } from './jobs/job-row.ts';
import { fromBoolean, type SqlDialect, toNumber } from './sql-dialect.ts';

export function toBuildEventRow(
  event: NewBuildEvent,
  dialect: SqlDialect,
): Insertable<BuildEventsTable> {
  const { error } = event;
  return {
    organization_id: event.organizationId,
    build_id: event.buildId,
    user_id: event.userId ?? null,
    event_type: event.type,
    event_data: JSON.stringify(event.data ?? {}),
    created_at: timestampIn(event.createdAt, dialect),
    user_visible: flagIn(event.userVisible, dialect),
    event_phase: event.phase ?? null,
    event_title: event.title ?? null,
    event_description: event.description ?? null,
    overall_progress: numberIn(event.overallProgress),
    finished: flagIn(event.finished, dialect),
    preview_url: event.previewUrl ?? null,
    duration_seconds: numberIn(event.durationSeconds),
    error_message: error?.internalMessage ?? null,
    error_code: error?.code ?? null,
    error_params: error ? JSON.stringify(error.params) : null,
    user_error_message: error?.message ?? null,
  };
}

export function timestampIn(at: number, dialect: SqlDialect): RawBuilder<unknown> {
  return dialect.name === 'sqlite' ? sql`${at}` : sql`to_timestamp(${at}::bigint / 1000.0)`;
}

function flagIn(flag: boolean, dialect: SqlDialect): boolean | number {
  return dialect.name === 'sqlite' ? fromBoolean(flag) : flag;
}

/** Epoch milliseconds from any timestamp type. */
export function timestampOut(dialect: SqlDialect): RawBuilder<number> {
  if (dialect.name === 'sqlite') return sql<number>`created_at`;
  return sql<number>`floor(extract(epoch from created_at::timestamptz) * 1000)::bigint`;
}

export function toBuildEvent(
  row: Selectable<BuildEventsTable>,
  unownedOrganization: string | undefined,
): BuildEvent {
  return {
    id: toNumber(row.id),
    organizationId: row.organization_id ?? unownedOrganization,
    buildId: row.build_id,
    userId: row.user_id ?? undefined,
    type: row.event_type,
    data: fromJson(row.event_data) ?? {},
    userVisible: Boolean(row.user_visible),
    phase: row.event_phase ?? undefined,
    title: row.event_title ?? undefined,
    description: row.event_description ?? undefined,
    overallProgress: row.overall_progress ?? undefined,
    finished: Boolean(row.finished),
    previewUrl: row.preview_url ?? undefined,
    durationSeconds: row.duration_seconds ?? undefined,
    error: errorOf(row),
    createdAt: toNumber(row.created_at),
  };
}

/** A product's column may be an integer or a decimal: an assignment from numeric converts to either. */
function numberIn(value: number | undefined): RawBuilder<unknown> | null {
  return value === undefined ? null : sql`cast(${value} as numeric)`;
}

function errorOf(row: Selectable<BuildEventsTable>): StoredError | undefined {
  if (row.error_code === null && row.error_message === null) return undefined;
  return {
    code: row.error_code ?? undefined,
    params: fromJson(row.error_params) ?? {},
    message: row.user_error_message ?? undefined,
    internalMessage: row.error_message ?? undefined,
  };
}
