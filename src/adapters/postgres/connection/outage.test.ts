// Kills, restarts and freezes this test's own PostgreSQL under a continuous load. Every operation ends (it succeeds, or
// rejects within the timeouts), no acknowledged record is lost, and the store recovers without a restart. An unhandled
// rejection anywhere fails the test.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { usageRecord } from '../../../../test/support/budgets/usage-record.ts';
import type { Services } from '../../../../test/support/services/services.ts';
import { startServices } from '../../../../test/support/services/start-services.ts';
import {
  createTestDatabase,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import { silentLog } from '../../../kernel/log.ts';
import { createJobQueue } from '../../sql/queue/job-queue.ts';
import { createPostgresQueueOperations } from '../jobs/queue-operations.ts';
import { createPostgresUsageStore } from '../metering/usage-store.ts';
import { lockStore } from '../store-lock/lock-store.ts';
import { openPostgres } from './open-postgres.ts';

const TIMEOUTS = { connectTimeoutMs: 1000, statementTimeoutMs: 1200, queryTimeoutMs: 1500 };
/** Covers a connection, a statement and its rollback on a busy machine. */
const MAX_OPERATION_MS = 15_000;
const FROZEN_MS = 5000;
const TEST_TIMEOUT = { timeout: 120_000 };

let services: Services;
let database: TestDatabase;
before(async () => {
  const env = { PATH: process.env['PATH'] };
  services = await startServices({ env, log: () => {}, wanted: ['postgres'] });
  database = await createTestDatabase('outage', { serverUrl: services.databaseUrl });
});
after(() => services.close());

test(
  'a killed and restarted PostgreSQL loses no acknowledged record and is used again',
  TEST_TIMEOUT,
  async () => {
    const load = await startLoad();
    await load.successes(10);
    await services.postgres.kill('SIGKILL');
    await load.failures(3);
    await services.postgres.restart();
    await load.successes(10);
    await load.finish();
  },
);

test(
  'statements on a frozen PostgreSQL time out, and it is used again after the thaw',
  TEST_TIMEOUT,
  async () => {
    const load = await startLoad();
    await load.successes(10);
    await services.postgres.freeze();
    await Promise.all([delay(FROZEN_MS), load.failures(3)]);
    await services.postgres.thaw();
    await load.successes(10);
    await load.finish();
  },
);

test('a store on a frozen PostgreSQL can be closed', async () => {
  const store = openPostgres(database.url, TIMEOUTS);
  await store.db.selectFrom('meta').selectAll().execute();
  await services.postgres.freeze();
  try {
    const pending = assert.rejects(
      store.db.selectFrom('meta').selectAll().execute(),
      /did not answer/,
    );
    while (store.load().idle > 0) await delay(1);
    await Promise.all([pending, store.close()]);
  } finally {
    await services.postgres.thaw();
  }
});

/** Two loops of operations, and a consumer of the published messages. */
async function startLoad() {
  const store = openPostgres(database.url, TIMEOUTS);
  const { db, dialect } = store;
  const locked = await lockStore(database.url, {
    isShared: true,
    clock: systemClock,
    log: silentLog,
  });
  assert.ok(locked.kind === 'locked');
  const { signals } = locked;
  const operations = createPostgresQueueOperations(store);
  const parts = { db, dialect, operations, signals, clock: systemClock, log: silentLog, newId };
  const queue = createJobQueue({ ...parts, pollMs: 500, leaseMs: 3000 });
  const usage = createPostgresUsageStore(store);
  const name = newId('msg');
  const stored = new Set<string>();
  const published = new Set<string>();
  const delivered = new Set<string>();
  const counts = { successes: 0, failures: 0 };
  const stop = new AbortController();

  queue.consume(name, { concurrency: 2 }, ({ id }) => {
    delivered.add(id);
    return Promise.resolve('ack');
  });

  async function loop(operate: (id: string) => Promise<unknown>, known: Set<string>) {
    while (!stop.signal.aborted) {
      const id = newId('evt');
      try {
        await withinTimeout(operate(id));
        known.add(id);
        counts.successes += 1;
      } catch (error) {
        assert.ok(!(error instanceof NeverEnded), 'an operation neither succeeded nor failed');
        counts.failures += 1;
      }
      await delay(20);
    }
  }

  const loops = [
    loop((id) => usage.insertBatch([usageRecord(id, { organizationId: name })]), stored),
    loop((id) => queue.publish(name, { id, body: '' }), published),
  ];

  async function count(kind: keyof typeof counts, more: number): Promise<void> {
    const target = counts[kind] + more;
    while (counts[kind] < target) await Promise.race([delay(20), ...loops]);
  }

  return {
    successes: (more: number) => count('successes', more),
    failures: (more: number) => count('failures', more),
    async finish() {
      stop.abort();
      await Promise.all(loops);
      while (published.difference(delivered).size > 0 || locked.state() !== 'locked')
        await delay(50);
      await queue.close();
      await store.close();
      await locked.release();
      await assertStored(name, stored);
    },
  };
}

/** Every acknowledged record is stored, and the roll-ups equal the records. */
async function assertStored(name: string, stored: ReadonlySet<string>): Promise<void> {
  const rows = await runOn(
    database.url,
    `select id from spillway.usage_records where organization_id = '${name}'`,
  );
  const kept = new Set(rows.map((row) => String(row['id'])));
  assert.deepEqual([...stored.difference(kept)], []);
  const [sum] = await runOn(
    database.url,
    `select sum(attempts) as attempts from spillway.usage_rollups where organization_id = '${name}'`,
  );
  assert.equal(Number(sum?.['attempts']), kept.size);
}

class NeverEnded extends Error {}

async function withinTimeout(operation: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const timeout = delay(MAX_OPERATION_MS, undefined, { signal: timer.signal }).then(() => {
    throw new NeverEnded();
  });
  timeout.catch(() => {});
  try {
    await Promise.race([operation, timeout]);
  } finally {
    timer.abort();
  }
}
