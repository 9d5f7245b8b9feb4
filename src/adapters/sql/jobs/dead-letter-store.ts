// Dead letters on either SQL store.

import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { ErrorCode } from '../../../errors/codes.ts';
import type {
  DeadLetter,
  DeadLetterList,
  DeadLetterPage,
  DeadLetterStore,
} from '../../../jobs/ports/dead-letter-store.ts';
import { idsWithin, type PageBound } from '../page-bytes.ts';
import { enqueueAll } from '../queue/enqueue.ts';
import type { QueueSignals } from '../queue/queue-signals.ts';
import type { DeadLettersTable, Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import { MAX_EXAMINED, selectMatches } from '../text-matches.ts';

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
    list: ({ text, ...page }) =>
      text === undefined ? listAll(db, page) : listMatching(db, { ...page, text }),
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

type Page = Omit<DeadLetterPage, 'text'>;

async function listAll(db: Kysely<Schema>, page: Page): Promise<DeadLetterList> {
  const rows = await inOrder(db, page.after)
    .select(['id', BODY_BYTES])
    .limit(page.limit + 1)
    .execute();
  const { ids, next } = idsWithin(rows, bound(page));
  return { letters: await readLetters(db, ids, page), next };
}

async function listMatching(
  db: Kysely<Schema>,
  { text, ...page }: Page & { readonly text: string },
): Promise<DeadLetterList> {
  const window = await inOrder(db, page.after)
    .select(['id', 'job_id', 'organization_id', 'queue', 'error_code', 'error_message'])
    .limit(MAX_EXAMINED)
    .execute();
  const matches = selectMatches(window, text, page.limit);
  if (matches.ids.length === 0) return { letters: [], next: matches.next };
  const sizes = inOrder(db, undefined).select(['id', BODY_BYTES]).where('id', 'in', matches.ids);
  const { ids, next = matches.next } = idsWithin(await sizes.execute(), bound(page));
  return { letters: await readLetters(db, ids, page), next };
}

function bound({ limit, maxBytes, isSummary }: Page): PageBound {
  return isSummary ? { limit } : { limit, maxBytes };
}

async function readLetters(
  db: Kysely<Schema>,
  ids: readonly string[],
  { isSummary }: Page,
): Promise<readonly DeadLetter[]> {
  if (ids.length === 0) return [];
  const rows = await inOrder(db, undefined)
    .select(SUMMARY_COLUMNS)
    .select(isSummary ? sql<string>`''`.as('body') : 'body')
    .where('id', 'in', ids)
    .execute();
  return rows.map(toLetter);
}

/** Neither store reads the body for its size. */
const BODY_BYTES = sql<number>`octet_length(body)`.as('bytes');
const SUMMARY_COLUMNS = [
  'id',
  'job_id',
  'organization_id',
  'queue',
  'error_code',
  'error_message',
  'attempts',
  'created_at',
] as const;

function inOrder(db: Kysely<Schema>, after: string | undefined) {
  return db
    .selectFrom('dead_letters')
    .where('id', '>', after ?? '')
    .orderBy('id');
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
