// Dead letters on either SQL store.

import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { ErrorCode } from '../../../errors/codes.ts';
import type { DeadLetter, DeadLetterStore } from '../../../jobs/ports/dead-letter-store.ts';
import { enqueueAll } from '../queue/enqueue.ts';
import type { QueueSignals } from '../queue/queue-signals.ts';
import type { DeadLettersTable, Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';

export function createDeadLetterStore(db: Kysely<Schema>, signals: QueueSignals): DeadLetterStore {
  return {
    async add(letter, outbox = []) {
      await db.transaction().execute(async (trx) => {
        if (await addDeadLetter(trx, letter)) await enqueueAll(trx, outbox, letter.createdAt);
      });
      for (const { queue } of outbox) signals.notify(queue);
    },
    async find(id) {
      const row = await db
        .selectFrom('dead_letters')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toLetter(row);
    },
    async list({ after, limit }) {
      const rows = await db
        .selectFrom('dead_letters')
        .selectAll()
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toLetter);
    },
    async count() {
      const row = await db
        .selectFrom('dead_letters')
        .select(sql<number | string>`count(*)`.as('count'))
        .executeTakeFirstOrThrow();
      return toNumber(row.count);
    },
    async remove(id) {
      const row = await db
        .deleteFrom('dead_letters')
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** False if the id exists already. */
export async function addDeadLetter(
  trx: Transaction<Schema>,
  letter: DeadLetter,
): Promise<boolean> {
  const row = await trx
    .insertInto('dead_letters')
    .values(toRow(letter))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

function toRow(letter: DeadLetter): Insertable<DeadLettersTable> {
  return {
    id: letter.id,
    job_id: letter.jobId ?? null,
    organization_id: letter.organizationId ?? null,
    queue: letter.queue,
    body: letter.body,
    error_code: letter.errorCode,
    error_message: letter.errorMessage,
    attempts: letter.attempts,
    created_at: letter.createdAt,
  };
}

function toLetter(row: Selectable<DeadLettersTable>): DeadLetter {
  return {
    id: row.id,
    jobId: row.job_id ?? undefined,
    organizationId: row.organization_id ?? undefined,
    queue: row.queue,
    body: row.body,
    errorCode: row.error_code as ErrorCode,
    errorMessage: row.error_message,
    attempts: toNumber(row.attempts),
    createdAt: toNumber(row.created_at),
  };
}
