// What a process does first when it knows that it is alone on its store: whatever was leased belonged to a former
// life of it, so messages are free again at once and running jobs are left to the sweeper. Never on a shared store.

import type { Kysely } from 'kysely';
import { endAllJobLeases } from './jobs/job-store.ts';
import { releaseAllLeases } from './queue/queue-table.ts';
import type { Schema } from './schema.ts';

export async function releaseLeases(db: Kysely<Schema>, now: number): Promise<void> {
  await releaseAllLeases(db);
  await endAllJobLeases(db, now);
}
