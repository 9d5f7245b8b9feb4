// Build events on either SQL store. Ids are given by the table, and on PostgreSQL a transaction that took a lower id
// may commit later than one that took a higher: writers of one build therefore take turns, so that nobody who reads
// on after the last id it saw can miss one. What the table refuses (it may be a product's own, with narrower
// columns) is the event's fault and is told as such.

import { type Kysely, sql, type Transaction } from 'kysely';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { BuildKey, NewBuildEvent } from '../../events/build-event.ts';
import type { BuildEventStore } from '../../events/build-event-store.ts';
import { momentIn, momentOut, toBuildEvent, toBuildEventRow } from './build-event-row.ts';
import type { Schema } from './schema.ts';
import { type SqlDialect, toNumber } from './sql-dialect.ts';
import type { SqlStore } from './sql-store.ts';

/** Values of one statement; a build takes two. */
const MAX_BUILDS_AT_ONCE = 500;

export function createBuildEventStore({ db, dialect }: SqlStore): BuildEventStore {
  return {
    async append(events) {
      try {
        return await db.transaction().execute((trx) => insertEvents(trx, dialect, events));
      } catch (cause) {
        throw isUnfit(cause) ? unfit(cause) : cause;
      }
    },
    async list({ buildId, organizationId, userId, after, limit }) {
      const rows = await db
        .selectFrom('project_build_events')
        .select(COLUMNS)
        .select(momentOut(dialect).as('created_at'))
        .where('build_id', '=', buildId)
        .$if(organizationId !== undefined, (query) =>
          query.where('organization_id', '=', organizationId ?? ''),
        )
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
        .where(sql<boolean>`id > ${after}`)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toBuildEvent);
    },
    async latest(builds) {
      const found: (BuildKey & { readonly id: number })[] = [];
      for (let at = 0; at < builds.length; at += MAX_BUILDS_AT_ONCE)
        found.push(...(await latestOf(db, builds.slice(at, at + MAX_BUILDS_AT_ONCE))));
      return found;
    },
    async prune(before, limit) {
      // Only the oldest are looked at: there is no index by moment, and ids rise with it. What a product wrote
      // itself is its own to keep.
      const oldest = db
        .selectFrom('project_build_events')
        .select(['id', 'created_at'])
        .where('organization_id', 'is not', null)
        .orderBy('id')
        .limit(limit);
      const old = db
        .selectFrom(oldest.as('oldest'))
        .select('id')
        .where(sql<boolean>`created_at < ${momentIn(before, dialect)}`);
      const deleted = await db
        .deleteFrom('project_build_events')
        .where('id', 'in', old)
        .returning('id')
        .execute();
      return deleted.length;
    },
  };
}

export async function insertEvents(
  trx: Transaction<Schema>,
  dialect: SqlDialect,
  events: readonly NewBuildEvent[],
): Promise<readonly number[]> {
  if (dialect.name === 'postgres') await takeTurns(trx, events);
  const ids: number[] = [];
  // One by one: a statement for all of them would not promise to give ids in their order.
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

/** The same expression as in job-progress.ts: a job's own events stand in the same line. */
async function takeTurns(trx: Transaction<Schema>, events: readonly NewBuildEvent[]) {
  const builds = new Set(
    events.map(({ organizationId, buildId }) => `${organizationId}/${buildId}`),
  );
  // Always in the same order, so that two writers of several builds cannot wait for each other.
  for (const build of [...builds].sort())
    await sql`select pg_advisory_xact_lock(hashtextextended(${build}, 0))`.execute(trx);
}

/** One step down an index for each build, however many events it has. */
async function latestOf(db: Kysely<Schema>, builds: readonly BuildKey[]) {
  const keys = builds.map(({ organizationId, buildId }) => sql`(${organizationId}, ${buildId})`);
  const { rows } = await sql<{ org: string; build: string; id: number | string | null }>`
    select column1 as org, column2 as build, (select max(id) from project_build_events
      where organization_id = column1 and build_id = column2) as id
    from (values ${sql.join(keys)}) as followed`.execute(db);
  return rows.map(({ org, build, id }) => ({
    organizationId: org,
    buildId: build,
    id: id === null ? 0 : toNumber(id),
  }));
}

/** PostgreSQL's classes of data that do not fit their columns, and of rules that a row breaks. */
function isUnfit(cause: unknown): boolean {
  return /^2[23]/.test(sqlStateOf(cause));
}

/** Also what is not ours to write to, or is not there any more. */
export function isRefusal(cause: unknown): boolean {
  return isUnfit(cause) || sqlStateOf(cause).startsWith('42');
}

function sqlStateOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function unfit(cause: unknown): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', 'the table of build events refuses the event', {
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
