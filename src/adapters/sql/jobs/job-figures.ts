// Figures about jobs on either SQL store. Each statement reads through an index and stops at a bound. States are literals in
// the SQL, because only then are the partial indexes used.

import { type Kysely, sql } from 'kysely';
import type { JobState } from '../../../jobs/model/job-state.ts';
import type { JobFigures } from '../../../jobs/ports/job-figures.ts';
import { idsWithin } from '../page-bytes.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import { toJob } from './job-row.ts';

/** The examined jobs of a window; a few milliseconds for a store in this process. */
const MAX_EXAMINED = 2000;

export function createJobFigures(db: Kysely<Schema>): JobFigures {
  return {
    async nextDue(now, limit) {
      const rows = await db
        .selectFrom('jobs')
        .select(['provider', 'run_at'])
        .where(sql<boolean>`state in ('queued', 'delayed')`)
        .where('run_at', '>', now)
        .orderBy('run_at')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        provider: row.provider ?? undefined,
        runAt: toNumber(row.run_at),
      }));
    },
    deadLetters: (most) => countUpTo(db.selectFrom('dead_letters').select('id').limit(most)),
    running: (most) =>
      countUpTo(
        db.selectFrom('jobs').select('id').where(sql<boolean>`state = 'running'`).limit(most),
      ),
    list: (page) => LISTS[page.state](db, page),
    async deadLetterOf(jobId) {
      const row = await db
        .selectFrom('dead_letters')
        .select('id')
        .where('job_id', '=', jobId)
        .limit(1)
        .executeTakeFirst();
      return row?.id;
    },
  };

  async function countUpTo(rows: { execute(): Promise<readonly unknown[]> }): Promise<number> {
    return (await rows.execute()).length;
  }
}

type Page = Parameters<JobFigures['list']>[0];
type List = (db: Kysely<Schema>, page: Page) => ReturnType<JobFigures['list']>;

const LISTS: Readonly<Record<JobState, List>> = {
  queued: listWaiting,
  delayed: listWaiting,
  running: listRunning,
  succeeded: listNewest,
  failed: listUnsuccessful,
  expired: listUnsuccessful,
  cancelled: listUnsuccessful,
};

/** A partial index contains exactly these jobs. */
async function listUnsuccessful(db: Kysely<Schema>, page: Page) {
  const rows = await newest(db, page.before)
    .select(['id', METADATA_BYTES])
    .where(sql<boolean>`state in ('failed', 'expired', 'cancelled')`)
    .where('state', '=', page.state)
    .limit(page.limit + 1)
    .execute();
  return readChosen(db, rows, page);
}

/** The workers' slots bound the number of running jobs. */
async function listRunning(db: Kysely<Schema>, page: Page) {
  const { before } = page;
  const rows = await db
    .selectFrom('jobs')
    .select(['id', METADATA_BYTES])
    .where(sql<boolean>`state = 'running'`)
    .limit(MAX_EXAMINED)
    .execute();
  const running = rows
    .filter(({ id }) => before === undefined || id < before)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return readChosen(db, running, page);
}

async function listNewest(db: Kysely<Schema>, page: Page) {
  const recent = newest(db, page.before)
    .select(['id', 'state', METADATA_BYTES])
    .limit(MAX_EXAMINED)
    .as('recent');
  const rows = await db
    .selectFrom(recent)
    .select(['id', 'bytes'])
    .where('state', '=', page.state)
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { jobs, next } = await readChosen(db, rows, page);
  if (next !== undefined) return { jobs, next };
  const last = newest(db, page.before)
    .select('id')
    .offset(MAX_EXAMINED - 1)
    .limit(1);
  return { jobs, next: (await last.executeTakeFirst())?.id };
}

/** In the order of their due times; the cursor is `runAt id`. */
async function listWaiting(db: Kysely<Schema>, page: Page) {
  const due = waiting(db, page.before)
    .select(['id', 'state', 'run_at', METADATA_BYTES])
    .limit(MAX_EXAMINED)
    .as('due');
  const rows = await db
    .selectFrom(due)
    .select(['id', 'bytes', 'run_at'])
    .where('state', '=', page.state)
    .orderBy('run_at')
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  const { jobs, next } = await readChosen(db, rows, page);
  const shown = rows.find(({ id }) => id === next);
  if (shown) return { jobs, next: cursorAt(shown) };
  const last = await waiting(db, page.before)
    .select(['run_at', 'id'])
    .offset(MAX_EXAMINED - 1)
    .limit(1)
    .executeTakeFirst();
  return { jobs, next: last && cursorAt(last) };
}

function cursorAt(row: {
  readonly run_at: Parameters<typeof toNumber>[0];
  readonly id: string;
}): string {
  return `${toNumber(row.run_at)} ${row.id}`;
}

/** Neither store reads the metadata for their size. Callers choose them; the other columns are small. */
const METADATA_BYTES = sql<number>`coalesce(octet_length(metadata), 0)`.as('bytes');

/** The jobs of the page, in the order of `rows`, and the last one's id if a row follows it. */
async function readChosen(
  db: Kysely<Schema>,
  rows: Parameters<typeof idsWithin>[0],
  page: Page,
): ReturnType<JobFigures['list']> {
  const { ids, next } = idsWithin(rows, page);
  if (ids.length === 0) return { jobs: [], next };
  const found = await db.selectFrom('jobs').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(found.map((row) => [row.id, toJob(row)]));
  const jobs = ids.map((id) => byId.get(id)).filter((job) => job !== undefined);
  return { jobs, next };
}

function waiting(db: Kysely<Schema>, place: string | undefined) {
  const [runAt = '0', id = ''] = place?.split(' ') ?? [];
  return db
    .selectFrom('jobs')
    .where(sql<boolean>`state in ('queued', 'delayed')`)
    .$if(place !== undefined, (query) =>
      query.where(sql<boolean>`(run_at, id) > (${Number.parseInt(runAt, 10) || 0}, ${id})`),
    )
    .orderBy('run_at')
    .orderBy('id');
}

function newest(db: Kysely<Schema>, before: string | undefined) {
  return db
    .selectFrom('jobs')
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc');
}
