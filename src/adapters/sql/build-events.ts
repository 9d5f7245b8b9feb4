// Build events on either SQL store. Ids come from the table, and on PostgreSQL a transaction with a lower id may commit
// after a transaction with a higher id. Writers of one build are therefore serialized, so that a reader that continues after the
// last id it saw misses no event. An event that the table rejects (a product's columns may be narrower) is INVALID_REQUEST.
// Rows that a product wrote without an organisation belong to the configured organisation; without one only operators read them.

import {
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type Transaction,
} from 'kysely';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { BuildKey, NewBuildEvent } from '../../events/build-event.ts';
import type { BuildEventStore } from '../../events/build-event-store.ts';
import { timestampIn, timestampOut, toBuildEvent, toBuildEventRow } from './build-event-row.ts';
import type { BuildEventsTable } from './build-events-table.ts';
import type { Schema } from './schema.ts';
import { type SqlDialect, type SqlStore, toNumber } from './sql-dialect.ts';

/** Each build takes two bound variables of the statement. */
const MAX_BUILDS_PER_STATEMENT = 500;

export type BuildEventOptions = {
  /** The organisation of rows without one. */
  readonly unownedOrganization?: string | undefined;
};

export function createBuildEventStore(
  { db, dialect }: SqlStore,
  { unownedOrganization }: BuildEventOptions = {},
): BuildEventStore {
  return {
    async append(events) {
      try {
        return await db.transaction().execute((trx) => insertEvents(trx, dialect, events));
      } catch (cause) {
        throw isInvalidRow(cause) ? invalidEvent(cause) : cause;
      }
    },
    async list({ buildId, organizationId, userId, after, limit, maxBytes }) {
      const page = db
        .selectFrom('project_build_events')
        .select(COLUMNS)
        .select(timestampOut(dialect).as('created_at'))
        .where('build_id', '=', buildId)
        .$if(organizationId !== undefined, (query) =>
          query.where((eb) =>
            eb.or([
              eb('organization_id', '=', organizationId ?? ''),
              ...(organizationId === unownedOrganization
                ? [eb('organization_id', 'is', null)]
                : []),
            ]),
          ),
        )
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
        .where(sql<boolean>`id > ${after}`)
        .orderBy('id')
        .limit(limit);
      const rows = await (maxBytes === undefined
        ? page
        : upTo(db, dialect, page, maxBytes)
      ).execute();
      return rows.map((row) => toBuildEvent(row, unownedOrganization));
    },
    async latest(builds) {
      const found: (BuildKey & { readonly id: number })[] = [];
      for (let at = 0; at < builds.length; at += MAX_BUILDS_PER_STATEMENT)
        found.push(
          ...(await latestOf(
            db,
            builds.slice(at, at + MAX_BUILDS_PER_STATEMENT),
            unownedOrganization,
          )),
        );
      return found;
    },
    async prune(before, limit) {
      // There is no index on the timestamp, so only the lowest ids are checked: ids rise with time. Rows of the
      // product have no organisation and are never deleted.
      const oldest = db
        .selectFrom('project_build_events')
        .select(['id', 'created_at'])
        .where('organization_id', 'is not', null)
        .orderBy('id')
        .limit(limit);
      const old = db
        .selectFrom(oldest.as('oldest'))
        .select('id')
        .where(sql<boolean>`created_at < ${timestampIn(before, dialect)}`);
      const deleted = await db
        .deleteFrom('project_build_events')
        .where('id', 'in', old)
        .returning('id')
        .execute();
      return deleted.length;
    },
  };
}

type EventRow = Selectable<BuildEventsTable>;

/** The rows of a page before which fewer bytes were read. Callers choose the size of an event: a page of large ones blocks the process. */
function upTo(
  db: Kysely<Schema>,
  dialect: SqlDialect,
  page: SelectQueryBuilder<Schema, 'project_build_events', EventRow>,
  maxBytes: number,
) {
  const bytes = sql.join(
    TEXTS.map((column) => bytesOf(column, dialect)),
    sql` + `,
  );
  const sized = db
    .selectFrom(page.as('page'))
    .selectAll()
    .select(sql<number>`sum(${bytes}) over (order by id) - (${bytes})`.as('bytes_before'));
  return db
    .selectFrom(sized.as('sized'))
    .selectAll()
    .where('bytes_before', '<', maxBytes)
    .orderBy('id');
}

/** The columns without a small bound. On PostgreSQL they may be of other types than text. */
const TEXTS = ['event_data', 'event_description', 'error_message'] as const;

function bytesOf(column: (typeof TEXTS)[number], dialect: SqlDialect): RawBuilder<number> {
  const text = sql.ref(column);
  if (dialect.name === 'sqlite') return sql`coalesce(octet_length(${text}), 0)`;
  return sql`coalesce(octet_length(${text}::text), 0)`;
}

export async function insertEvents(
  trx: Transaction<Schema>,
  dialect: SqlDialect,
  events: readonly NewBuildEvent[],
): Promise<readonly number[]> {
  if (dialect.name === 'postgres') await serializeWriters(trx, events);
  const ids: number[] = [];
  // One statement per event: a multi-row insert does not guarantee ids in the order of its rows.
  for (const event of events) {
    const { id } = await trx
      .insertInto('project_build_events')
      .values(toBuildEventRow(event, dialect))
      .returning('id')
      .executeTakeFirstOrThrow();
    ids.push(toNumber(id));
  }
  return ids;
}

/** Takes the same advisory locks as insert_build_events (postgres/functions/job-events.sql). */
async function serializeWriters(trx: Transaction<Schema>, events: readonly NewBuildEvent[]) {
  const builds = new Set(
    events.map(({ organizationId, buildId }) => `${organizationId}/${buildId}`),
  );
  // In a fixed order, so that two writers of several builds never deadlock.
  for (const build of [...builds].sort())
    await sql`select pg_advisory_xact_lock(hashtextextended(${build}, 0))`.execute(trx);
}

/** One index lookup per build, however many events it has, and one more for rows without an organisation. */
async function latestOf(
  db: Kysely<Schema>,
  builds: readonly BuildKey[],
  unownedOrganization: string | undefined,
) {
  const keys = builds.map(({ organizationId, buildId }) => sql`(${organizationId}, ${buildId})`);
  const unowned =
    unownedOrganization === undefined
      ? sql`null`
      : sql`(select max(id) from project_build_events
          where column1 = ${unownedOrganization} and organization_id is null and build_id = column2)`;
  const { rows } = await sql<LatestRow>`
    select column1 as org, column2 as build, (select max(id) from project_build_events
      where organization_id = column1 and build_id = column2) as id, ${unowned} as unowned
    from (values ${sql.join(keys)}) as builds`.execute(db);
  return rows.map(({ org, build, id, unowned: other }) => ({
    organizationId: org,
    buildId: build,
    id: Math.max(toNumber(id ?? 0), toNumber(other ?? 0)),
  }));
}

type RowId = number | string | null;
type LatestRow = {
  readonly org: string;
  readonly build: string;
  readonly id: RowId;
  readonly unowned: RowId;
};

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). */
function isInvalidRow(cause: unknown): boolean {
  return /^2[23]/.test(sqlStateOf(cause));
}

/** Also class 42: no privilege, or the table or a column does not exist. */
export function isRefusal(cause: unknown): boolean {
  return isInvalidRow(cause) || sqlStateOf(cause).startsWith('42');
}

function sqlStateOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function invalidEvent(cause: unknown): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', 'the table of build events rejects the event', {
    cause,
  });
}

const COLUMNS = [
  'id',
  'organization_id',
  'build_id',
  'user_id',
  'event_type',
  'event_data',
  'user_visible',
  'event_phase',
  'event_title',
  'event_description',
  'overall_progress',
  'finished',
  'preview_url',
  'duration_seconds',
  'error_message',
  'error_code',
  'error_params',
  'user_error_message',
] as const;
