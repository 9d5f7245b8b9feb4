// Waiting jobs on either SQL store, by the index over their due times. Jobs that are handed over to another system are left
// out: their messages may be with its workers.

import { type Kysely, sql } from 'kysely';
import type { JobBacklog } from '../../../jobs/ports/job-backlog.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';

const MAX_COUNTED = 5000;

export function createJobBacklog(db: Kysely<Schema>): JobBacklog {
  return {
    async oldestDueAt() {
      const row = await db
        .selectFrom('jobs')
        .select('run_at')
        .where(sql<boolean>`state in ('queued', 'delayed')`)
        .where('lease_owner', 'is', null)
        .orderBy('run_at')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      return row && toNumber(row.run_at);
    },
    async overdueDelayed(before) {
      const { rows } = await sql<{ queue: string; count: number | string }>`
        select queue, count(*) as count from (
          select queue, state from jobs
          where state in ('queued', 'delayed') and lease_owner is null and run_at <= ${before}
          order by run_at limit ${MAX_COUNTED}) as due
        where state = 'delayed' group by queue`.execute(db);
      return rows.map(({ queue, count }) => ({ queue, count: toNumber(count) }));
    },
  };
}
