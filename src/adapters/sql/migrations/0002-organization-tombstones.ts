// A deleted organisation stays as a tombstone: its id is never given to another organisation, because the usage and budgets
// of both would mix.

import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

export async function addOrganizationTombstones(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('organizations').addColumn('deleted_at', 'bigint').execute();
}
