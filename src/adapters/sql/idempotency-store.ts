// Kept answers on either SQL store. A claim is one statement that writes the row or finds it taken, so that of any
// number of processes one has it; only those that were too late read the row, to say why. While the store is away
// every method rejects.
//
// States of a row: running → finished | unrepeatable. A row whose day is over, and a running one whose deadline has
// passed, is as good as none: the next claim writes over it.

import { type Kysely, type Selectable, sql } from 'kysely';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
  KeptAnswer,
} from '../../admission/idempotency-store.ts';
import type { IdempotencyKeysTable, Schema } from './schema.ts';
import { toNumber } from './sql-dialect.ts';

export type IdempotencyOptions = { readonly keptForMs: number };

/** Rows may carry a mebibyte each, so that they are removed a few at a time. */
const FORGET_AT_ONCE = 200;
/** A row that was freed between the claim and the look at it makes another claim worth while, but not for ever. */
const MAX_CLAIMS = 5;
const ASK_AGAIN_MS = 1000;

export function createIdempotencyStore(
  db: Kysely<Schema>,
  { keptForMs }: IdempotencyOptions,
): IdempotencyStore {
  return {
    async claim(claim, now) {
      for (let tries = 0; tries < MAX_CLAIMS; tries += 1) {
        if (await write(db, claim, now, now - keptForMs)) return { kind: 'claimed' };
        const row = await find(db, claim);
        if (row) return outcomeOf(row, claim);
      }
      return { kind: 'running', until: now + ASK_AGAIN_MS };
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
      for (let forgotten = 0; ; ) {
        const count = await forgetSome(db, now, now - keptForMs);
        forgotten += count;
        if (count < FORGET_AT_ONCE) return forgotten;
      }
    },
  };
}

/** True when the row is now ours. */
async function write(
  db: Kysely<Schema>,
  claim: IdempotencyClaim,
  now: number,
  forgottenBefore: number,
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
        .where(isAsGoodAsNone(now, forgottenBefore)),
    )
    .returning('request_id')
    .executeTakeFirst();
  return written !== undefined;
}

function isAsGoodAsNone(now: number, forgottenBefore: number) {
  return sql<boolean>`case idempotency_keys.state
    when 'running' then idempotency_keys.deadline_at <= ${now}
    else idempotency_keys.changed_at <= ${forgottenBefore} end`;
}

function find(db: Kysely<Schema>, { organizationId, key }: IdempotencyClaim) {
  return db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'state', 'deadline_at', 'status', 'headers', 'body'])
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .executeTakeFirst();
}

type Found = Pick<
  Selectable<IdempotencyKeysTable>,
  'fingerprint' | 'state' | 'deadline_at' | 'status' | 'headers' | 'body'
>;

function outcomeOf(row: Found, claim: IdempotencyClaim): ClaimOutcome {
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

function ended(answer: KeptAnswer | undefined) {
  if (!answer) return { state: 'unrepeatable' };
  const { status, headers, body } = answer;
  return { state: 'finished', status, headers: JSON.stringify(headers), body };
}

/** What is being answered just now is let alone, however long ago it was asked. */
async function forgetSome(
  db: Kysely<Schema>,
  now: number,
  forgottenBefore: number,
): Promise<number> {
  const { rows } = await sql`
    delete from idempotency_keys where (organization_id, key) in (
      select organization_id, key from idempotency_keys
      where changed_at <= ${forgottenBefore} and (state <> 'running' or deadline_at <= ${now})
      order by changed_at limit ${FORGET_AT_ONCE})
    returning key`.execute(db);
  return rows.length;
}
