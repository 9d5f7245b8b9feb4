// Releases all leases of messages and jobs. Called at the start of a process that does not share its store: every lease in it
// belongs to an earlier process. Messages are delivered again immediately; the sweeper takes the running jobs. Never called
// on a shared store.

import type { Kysely } from 'kysely';
import { endAllJobLeases } from './jobs/job-store.ts';
import { releaseAllLeases } from './queue/queue-table.ts';
import type { Schema } from './schema.ts';

export async function releaseLeases(db: Kysely<Schema>, now: number): Promise<void> {
  await releaseAllLeases(db);
  await endAllJobLeases(db, now);
}
