// A page of the list of jobs on either SQL store. The jobs of the page are chosen by their ids and sizes: the embedded store
// copies the columns of every row that a statement sorts, and metadata are large.

import { type Kysely, sql } from 'kysely';
import type { JobState } from '../../../jobs/model/job-state.ts';
import type { JobPage } from '../../../jobs/ports/job-store.ts';
import type { Schema } from '../schema.ts';

/** A record, so that the compiler reports a missing state. */
const IS_STATE: Readonly<Record<JobState, true>> = {
  queued: true,
  delayed: true,
  running: true,
  succeeded: true,
  failed: true,
  cancelled: true,
  expired: true,
};
const STATES = Object.keys(IS_STATE) as JobState[];

export function jobPage(db: Kysely<Schema>, page: JobPage) {
  const { maxBytes } = page;
  const chosen =
    maxBytes === undefined
      ? db.selectFrom(sizesOf(db, page).as('sizes')).select('id')
      : idsUpTo(db, page, maxBytes);
  return db.selectFrom('jobs').selectAll().where('id', 'in', chosen).orderBy('id', 'desc');
}

/** The jobs of a page before which fewer bytes were read. */
function idsUpTo(db: Kysely<Schema>, page: JobPage, maxBytes: number) {
  const sums = db
    .selectFrom(sizesOf(db, page).as('sizes'))
    .select('id')
    .select(sql<number>`sum(bytes) over (order by id desc) - bytes`.as('bytes_before'));
  return db.selectFrom(sums.as('sums')).select('id').where('bytes_before', '<', maxBytes);
}

/** The index of an organisation's jobs includes the state: another one without it would cost every move a write. */
function sizesOf(db: Kysely<Schema>, page: JobPage) {
  const { organizationId, state, limit } = page;
  const states = organizationId === undefined || state !== undefined ? [state] : STATES;
  return states
    .map((each) => db.selectFrom(sizesIn(db, page, each).as('page')).selectAll())
    .reduce((all, each) => all.unionAll(each))
    .orderBy('id', 'desc')
    .limit(limit);
}

/** Neither store reads the metadata for their size. Callers choose them; the other columns are small. */
function sizesIn(
  db: Kysely<Schema>,
  { organizationId, before, limit }: JobPage,
  state: JobState | undefined,
) {
  let query = db
    .selectFrom('jobs')
    .select('id')
    .select(sql<number>`coalesce(octet_length(metadata), 0)`.as('bytes'))
    .orderBy('id', 'desc')
    .limit(limit);
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  if (state !== undefined) query = query.where('state', '=', state);
  return before === undefined ? query : query.where('id', '<', before);
}
