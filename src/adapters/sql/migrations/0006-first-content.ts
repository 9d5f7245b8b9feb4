// The time to the first content of a stream, for the timelines of requests.

import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

export async function addFirstContent(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('usage_records').addColumn('first_content_ms', 'bigint').execute();
}
