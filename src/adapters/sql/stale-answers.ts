// Last good answers on either SQL store: one row for each request of an organisation, written over by the next answer.

import { type Kysely, sql } from 'kysely';
import type { StaleAnswers } from '../../admission/stale-answers.ts';
import type { Schema } from './schema.ts';
import { toNumber } from './sql-dialect.ts';

/** Rows may carry a mebibyte each, so that they are removed a few at a time. */
const FORGET_AT_ONCE = 200;

export function createStaleAnswers(
  db: Kysely<Schema>,
  { keptForMs }: { readonly keptForMs: number },
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
        keptAt: toNumber(row.stored_at),
      };
    },
    async deleteExpired(now) {
      for (let forgotten = 0; ; ) {
        const count = await forgetSome(db, now - keptForMs);
        forgotten += count;
        if (count < FORGET_AT_ONCE) return forgotten;
      }
    },
  };
}

async function forgetSome(db: Kysely<Schema>, keptBefore: number): Promise<number> {
  const { rows } = await sql`
    delete from stale_answers where (organization_id, fingerprint) in (
      select organization_id, fingerprint from stale_answers
      where stored_at < ${keptBefore} order by stored_at limit ${FORGET_AT_ONCE})
    returning fingerprint`.execute(db);
  return rows.length;
}
