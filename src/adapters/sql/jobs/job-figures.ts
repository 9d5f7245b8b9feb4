// Figures about jobs on either SQL store. Each statement reads through an index and stops at a bound. States are literals in
// the SQL, because only then are the partial indexes used.

import { type Kysely, sql } from 'kysely';
import type { JobState } from '../../../jobs/model/job-state.ts';
import type { JobFigures } from '../../../jobs/ports/job-figures.ts';
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
async function listUnsuccessful(db: Kysely<Schema>, { state, before, limit }: Page) {
  const rows = await newest(db, before)
    .selectAll()
    .where(sql<boolean>`state in ('failed', 'expired', 'cancelled')`)
    .where('state', '=', state)
    .limit(limit + 1)
    .execute();
  const jobs = rows.slice(0, limit).map(toJob);
  return { jobs, next: rows.length > limit ? jobs.at(-1)?.id : undefined };
}

/** The workers' slots bound the number of running jobs. */
async function listRunning(db: Kysely<Schema>, { before, limit }: Page) {
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where(sql<boolean>`state = 'running'`)
    .limit(MAX_EXAMINED)
    .execute();
  const running = rows
    .map(toJob)
    .filter(({ id }) => before === undefined || id < before)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const jobs = running.slice(0, limit);
  return { jobs, next: running.length > limit ? jobs.at(-1)?.id : undefined };
}

async function listNewest(db: Kysely<Schema>, { state, before, limit }: Page) {
  const recent = newest(db, before).selectAll().limit(MAX_EXAMINED).as('recent');
  const rows = await db
    .selectFrom(recent)
    .selectAll()
    .where('state', '=', state)
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const jobs = rows.slice(0, limit).map(toJob);
  if (rows.length > limit) return { jobs, next: jobs.at(-1)?.id };
  const last = newest(db, before)
    .select('id')
    .offset(MAX_EXAMINED - 1)
    .limit(1);
  return { jobs, next: (await last.executeTakeFirst())?.id };
}

/** In the order of their due times; the cursor is `runAt id`. */
async function listWaiting(db: Kysely<Schema>, { state, before, limit }: Page) {
  const due = waiting(db, before).selectAll().limit(MAX_EXAMINED).as('due');
  const rows = await db
    .selectFrom(due)
    .selectAll()
    .where('state', '=', state)
    .orderBy('run_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const jobs = rows.slice(0, limit).map(toJob);
  const shown = jobs.at(-1);
  if (rows.length > limit && shown) return { jobs, next: `${shown.runAt} ${shown.id}` };
  const last = await waiting(db, before)
    .select(['run_at', 'id'])
    .offset(MAX_EXAMINED - 1)
    .limit(1)
    .executeTakeFirst();
  return { jobs, next: last && `${toNumber(last.run_at)} ${last.id}` };
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
