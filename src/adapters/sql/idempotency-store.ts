// Idempotency keys on either SQL store. A claim is one statement that inserts the row or finds it claimed, so that exactly
// one process gets it, however many claim it; only the others read the row for its state. While the store is unavailable every
// method rejects.
//
// States of a row: running → finished | unrepeatable. An expired row, and a running row past its deadline, count as absent:
// the next claim overwrites them.

import { type Kysely, type Selectable, sql } from 'kysely';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
} from '../../admission/idempotency-store.ts';
import type { StoredAnswer } from '../../admission/stored-answer.ts';
import type { IdempotencyKeysTable, Schema } from './schema.ts';
import { toNumber } from './sql-dialect.ts';

export type IdempotencyOptions = { readonly retentionMs: number };

/** Rows may be a mebibyte each, so they are deleted in small batches. */
const DELETE_BATCH = 200;
/** A row that is freed between the claim and the read is claimed again, this often at most. */
const MAX_CLAIMS = 5;
const RETRY_MS = 1000;

export function createIdempotencyStore(
  db: Kysely<Schema>,
  { retentionMs }: IdempotencyOptions,
): IdempotencyStore {
  return {
    async claim(claim, now) {
      for (let tries = 0; tries < MAX_CLAIMS; tries += 1) {
        if (await writeClaim(db, claim, now, now - retentionMs)) return { kind: 'claimed' };
        const row = await find(db, claim);
        if (row) return outcomeOf(row, claim);
      }
      return { kind: 'running', until: now + RETRY_MS };
    },
    async finish(claim, answer, now) {
      await db
        .updateTable('idempotency_keys')
        .set({ ...ended(answer), changed_at: now })
        .where('organization_id', '=', claim.organizationId)
        .where('key', '=', claim.key)
        .where('request_id', '=', claim.requestId)
        .where('state', '=', 'running')
        .execute();
    },
    async free(claim) {
      await db
        .deleteFrom('idempotency_keys')
        .where('organization_id', '=', claim.organizationId)
        .where('key', '=', claim.key)
        .where('request_id', '=', claim.requestId)
        .where('state', '=', 'running')
        .execute();
    },
    async deleteExpired(now) {
      for (let deleted = 0; ; ) {
        const count = await deleteBatch(db, now, now - retentionMs);
        deleted += count;
        if (count < DELETE_BATCH) return deleted;
      }
    },
  };
}

/** Whether this request now owns the row. */
async function writeClaim(
  db: Kysely<Schema>,
  claim: IdempotencyClaim,
  now: number,
  expiredBefore: number,
): Promise<boolean> {
  const fresh = {
    fingerprint: claim.fingerprint,
    request_id: claim.requestId,
    state: 'running',
    changed_at: now,
    deadline_at: claim.deadlineAt,
    status: null,
    headers: null,
    body: null,
  };
  const written = await db
    .insertInto('idempotency_keys')
    .values({ organization_id: claim.organizationId, key: claim.key, ...fresh })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'key'])
        .doUpdateSet(fresh)
        .where(isReplaceable(now, expiredBefore)),
    )
    .returning('request_id')
    .executeTakeFirst();
  return written !== undefined;
}

function isReplaceable(now: number, expiredBefore: number) {
  return sql<boolean>`case idempotency_keys.state
    when 'running' then idempotency_keys.deadline_at <= ${now}
    else idempotency_keys.changed_at <= ${expiredBefore} end`;
}

function find(db: Kysely<Schema>, { organizationId, key }: IdempotencyClaim) {
  return db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'state', 'deadline_at', 'status', 'headers', 'body'])
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .executeTakeFirst();
}

type FoundRow = Pick<
  Selectable<IdempotencyKeysTable>,
  'fingerprint' | 'state' | 'deadline_at' | 'status' | 'headers' | 'body'
>;

function outcomeOf(row: FoundRow, claim: IdempotencyClaim): ClaimOutcome {
  if (row.fingerprint !== claim.fingerprint) return { kind: 'other_payload' };
  if (row.state === 'running') return { kind: 'running', until: toNumber(row.deadline_at) };
  const { status, headers, body } = row;
  if (status === null || headers === null || body === null) return { kind: 'unrepeatable' };
  return {
    kind: 'finished',
    answer: {
      status: toNumber(status),
      headers: JSON.parse(headers) as Record<string, string>,
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    },
  };
}

function ended(answer: StoredAnswer | undefined) {
  if (!answer) return { state: 'unrepeatable' };
  const { status, headers, body } = answer;
  return { state: 'finished', status, headers: JSON.stringify(headers), body };
}

/** A running row before its deadline stays, however old. */
async function deleteBatch(
  db: Kysely<Schema>,
  now: number,
  expiredBefore: number,
): Promise<number> {
  const { rows } = await sql`
    delete from idempotency_keys where (organization_id, key) in (
      select organization_id, key from idempotency_keys
      where changed_at <= ${expiredBefore} and (state <> 'running' or deadline_at <= ${now})
      order by changed_at limit ${DELETE_BATCH})
    returning key`.execute(db);
  return rows.length;
}
