// The last good answers on either SQL store: one row per organisation and request, overwritten by the next answer.

import { type Kysely, sql } from 'kysely';
import type { StaleAnswers } from '../../admission/stale-answers.ts';
import type { Schema } from './schema.ts';
import { toNumber } from './sql-dialect.ts';

/** Rows may be a mebibyte each, so they are deleted in small batches. */
const DELETE_BATCH = 200;

export function createStaleAnswers(
  db: Kysely<Schema>,
  { retentionMs }: { readonly retentionMs: number },
): StaleAnswers {
  return {
    async keep(organizationId, fingerprint, { status, headers, body }, now) {
      const row = { status, headers: JSON.stringify(headers), body, stored_at: now };
      await db
        .insertInto('stale_answers')
        .values({ organization_id: organizationId, fingerprint, ...row })
        .onConflict((conflict) =>
          conflict.columns(['organization_id', 'fingerprint']).doUpdateSet(row),
        )
        .execute();
    },
    async find(organizationId, fingerprint, since) {
      const row = await db
        .selectFrom('stale_answers')
        .select(['status', 'headers', 'body', 'stored_at'])
        .where('organization_id', '=', organizationId)
        .where('fingerprint', '=', fingerprint)
        .where('stored_at', '>=', since)
        .executeTakeFirst();
      if (!row) return undefined;
      const { body } = row;
      return {
        status: toNumber(row.status),
        headers: JSON.parse(row.headers) as Record<string, string>,
        body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        storedAt: toNumber(row.stored_at),
      };
    },
    async deleteExpired(now) {
      for (let deleted = 0; ; ) {
        const count = await deleteBatch(db, now - retentionMs);
        deleted += count;
        if (count < DELETE_BATCH) return deleted;
      }
    },
  };
}

async function deleteBatch(db: Kysely<Schema>, storedBefore: number): Promise<number> {
  const { rows } = await sql`
    delete from stale_answers where (organization_id, fingerprint) in (
      select organization_id, fingerprint from stale_answers
      where stored_at < ${storedBefore} order by stored_at limit ${DELETE_BATCH})
    returning fingerprint`.execute(db);
  return rows.length;
}
