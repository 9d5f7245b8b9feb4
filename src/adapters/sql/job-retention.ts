// Forgetting jobs on either SQL store. Rows that belong to a job go with it; those to be forgotten are found by the
// index on when jobs finished, oldest first.

import { type Kysely, sql } from 'kysely';
import type { JobRetention } from '../../jobs/job-retention.ts';
import type { Schema } from './schema.ts';

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
    async forgetJobs(before, limit) {
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
      if (rows.length === 0) return 0;
      const ids = rows.map(({ id }) => id);
      // One that an operator has just set going again is not finished any more.
      await db
        .deleteFrom('jobs')
        .where('id', 'in', ids)
        .where('finished_at', '<', before)
        .execute();
      return ids.length;
    },
    async forgetResults(before, limit) {
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
