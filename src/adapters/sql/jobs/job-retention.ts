// Deletes finished jobs and results, and jobs that were handed over to another system, on either SQL store. A job's rows are
// deleted with it in one transaction; the index on `finished_at` finds the oldest first.

import { type Kysely, sql, type Transaction } from 'kysely';
import type { JobRetention } from '../../../jobs/ports/job-retention.ts';
import type { Schema } from '../schema.ts';

export function createJobRetention(db: Kysely<Schema>): JobRetention {
  function finished(before: number, limit: number) {
    return db
      .selectFrom('jobs')
      .select('jobs.id')
      .where(sql<boolean>`finished_at is not null`)
      .where('finished_at', '<', before)
      .orderBy('finished_at')
      .limit(limit);
  }

  return {
    async pruneJobs(before, limit) {
      const rows = await finished(before, limit)
        .where(sql<boolean>`state in ('succeeded', 'failed', 'cancelled', 'expired')`)
        .where((job) =>
          job.not(
            job.exists(
              job.selectFrom('dead_letters').select('id').whereRef('job_id', '=', 'jobs.id'),
            ),
          ),
        )
        .execute();
      const handedOver = await handedOverJobs(db, before, limit - rows.length).execute();
      const ids = [...rows, ...handedOver].map(({ id }) => id);
      if (ids.length === 0) return 0;
      await db.transaction().execute((trx) => deleteJobs(trx, ids, before));
      return ids.length;
    },
    async pruneResults(before, limit) {
      const rows = await finished(before, limit)
        .innerJoin('job_results', 'job_results.job_id', 'jobs.id')
        .execute();
      if (rows.length === 0) return 0;
      const ids = rows.map(({ id }) => id);
      await db.deleteFrom('job_results').where('job_id', 'in', ids).execute();
      return ids.length;
    },
  };
}

/** Waiting jobs with a lease owner: no other waiting job has one. */
function handedOverJobs(db: Kysely<Schema>, before: number, limit: number) {
  return db
    .selectFrom('jobs')
    .select('id')
    .where(sql<boolean>`state in ('queued', 'delayed')`)
    .where('lease_owner', 'is not', null)
    .where('updated_at', '<', before)
    .limit(limit);
}

const JOB_TABLES = ['job_payloads', 'job_results', 'job_events', 'job_attempts'] as const;

async function deleteJobs(
  trx: Transaction<Schema>,
  ids: readonly string[],
  before: number,
): Promise<void> {
  // A job that an operator has retried or a worker has claimed in the meantime is not deleted.
  const deleted = await trx
    .deleteFrom('jobs')
    .where('id', 'in', ids)
    .where((job) =>
      job.or([
        job('finished_at', '<', before),
        job.and([job('lease_owner', 'is not', null), job('updated_at', '<', before)]),
      ]),
    )
    .returning('id')
    .execute();
  if (deleted.length === 0) return;
  const deletedIds = deleted.map(({ id }) => id);
  for (const table of JOB_TABLES)
    await trx.deleteFrom(table).where('job_id', 'in', deletedIds).execute();
}
