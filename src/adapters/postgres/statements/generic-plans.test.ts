// The store's functions use generic plans, made once, when the tables may still be empty. The cost of a batch must not grow
// with the number of stored rows: here the plans are made on empty tables, and a batch then reads only its own rows.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { reservationRequest } from '../../../../test/support/budgets/budget-ask.ts';
import { usageRecord } from '../../../../test/support/budgets/usage-record.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { newJob } from '../../../jobs/intake/submit-job.ts';
import { started } from '../../../jobs/model/job-moves.ts';
import { newId } from '../../../kernel/ids.ts';
import { newReservation } from '../../../metering/budgets/budget-reservation.ts';
import { createQueueSignals } from '../../sql/queue/queue-signals.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { createPostgresJobStore } from '../jobs/job-store.ts';
import { createPostgresUsageStore } from '../metering/usage-store.ts';

const STORED = 5000;
const BATCH = 10;
/** A batch reads a few index entries per row of its own, never one per stored row. */
const MAX_READ = STORED / 5;
const WORKER = { workerId: 'worker-1', leaseMs: 1000 };

let database: TestDatabase;
let client: Client;
let opened: PostgresStore;
/** All statements use one connection, and so the same plans. */
let store: Pick<PostgresStore, 'db' | 'run'>;

before(async () => {
  database = await createTestDatabase('plans');
  opened = await openEmptyStore(database);
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('set search_path = spillway, public');
  store = {
    db: opened.db,
    run: async (text, values) => (await client.query(text, [...values])).rows,
  };
});
after(async () => {
  await client.end();
  await opened.close();
  await database.drop();
});

/** The number of table rows and index entries that the work reads. */
async function readsOf(work: () => Promise<unknown>): Promise<number> {
  // Inside a transaction the counters are the transaction's own, so the difference is exact.
  await client.query('begin');
  const before = await readSoFar();
  await work();
  const read = (await readSoFar()) - before;
  await client.query('commit');
  return read;
}

async function readSoFar(): Promise<number> {
  const { rows } = await client.query<{ read: string }>(`select coalesce(sum(n), 0) as read from (
    select pg_stat_get_xact_tuples_returned(indexrelid) as n from pg_stat_user_indexes
    union all select seq_tup_read from pg_stat_xact_user_tables) as reads`);
  return Number(rows[0]?.read);
}

function ids(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, nth) => `${prefix}-${String(nth).padStart(5, '0')}`);
}

test('storing usage and settling reservations reads no other stored rows', async () => {
  const usage = createPostgresUsageStore(store);
  const reservations = (prefix: string) =>
    ids(prefix, BATCH).map((id) => newReservation(reservationRequest(id), 202_601));
  const insert = (prefix: string, count: number) =>
    usage.insertBatch(
      ids(prefix, count).map((id) => usageRecord(id)),
      {
        opened: reservations(`${prefix}-open`),
        closed: ids(`${prefix}-closed`, BATCH),
        voided: reservations(`${prefix}-void`),
      },
    );
  await insert('first', BATCH);
  await insert('many', STORED);
  const read = await readsOf(() => insert('last', BATCH));
  assert.ok(read < MAX_READ, `${read} rows were read for ${BATCH}`);
});

test('creating and moving jobs reads no other stored rows', async () => {
  const jobs = createPostgresJobStore({ store, signals: createQueueSignals() });
  const submitter = { organizationId: 'default' };
  const create = (id: string) => {
    const message = { id, prompt: 'hello' };
    const given = { message, submitter, origin: 'queue', queue: 'q' } as const;
    return jobs.create(newJob(given, newId, 1000), message);
  };
  const runAll = async (prefix: string, count: number) => {
    const created = await Promise.all(ids(prefix, count).map(create));
    const moved = await Promise.all(
      created.map(({ job }) => jobs.move(started(job, WORKER, 2000))),
    );
    assert.ok(moved.every((job) => job?.state === 'running'));
  };
  await runAll('first', BATCH);
  await runAll('many', STORED);
  const read = await readsOf(() => runAll('last', BATCH));
  assert.ok(read < MAX_READ, `${read} rows were read for ${BATCH}`);
});
