// A PostgreSQL of our own is killed, restarted and frozen under a trickle of everything the store is for. Whatever
// happens to it, an operation ends (it succeeds, or rejects within the timeouts), nothing that was acknowledged is
// lost, and all is well again by itself. An unhandled rejection anywhere fails the test.

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
/** For a connection, a statement and its rollback, with room for a busy machine. */
const EVERYTHING_ENDS_WITHIN_MS = 15_000;
const FROZEN_MS = 5000;
const IN_TIME = { timeout: 120_000 };

let services: Services;
let database: TestDatabase;
before(async () => {
  const env = { PATH: process.env['PATH'] };
  services = await startServices({ env, log: () => {}, wanted: ['postgres'] });
  database = await createTestDatabase('outage', { serverUrl: services.databaseUrl });
});
after(() => services.close());

test(
  'a PostgreSQL that is killed and started again loses nothing and is used again',
  IN_TIME,
  async () => {
    const trickle = await startTrickle();
    await trickle.successes(10);
    await services.postgres.kill('SIGKILL');
    await trickle.failures(3);
    await services.postgres.restart();
    await trickle.successes(10);
    await trickle.finish();
  },
);

test(
  'a PostgreSQL that hangs is not waited for, and is used again when it goes on',
  IN_TIME,
  async () => {
    const trickle = await startTrickle();
    await trickle.successes(10);
    await services.postgres.freeze();
    await Promise.all([delay(FROZEN_MS), trickle.failures(3)]);
    await services.postgres.thaw();
    await trickle.successes(10);
    await trickle.finish();
  },
);

test('a store that hangs is closed all the same', async () => {
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

/** Operations one after another in several lanes, and a consumer that takes what they publish. */
async function startTrickle() {
  const store = openPostgres(database.url, TIMEOUTS);
  const { db, dialect } = store;
  const held = await lockStore(database.url, {
    isShared: true,
    clock: systemClock,
    log: silentLog,
  });
  assert.ok(held.kind === 'locked');
  const { signals } = held;
  const operations = createPostgresQueueOperations(store);
  const parts = { db, dialect, operations, signals, clock: systemClock, log: silentLog, newId };
  const queue = createJobQueue({ ...parts, pollMs: 500, leaseMs: 3000 });
  const usage = createPostgresUsageStore(store);
  const name = newId('msg');
  const stored = new Set<string>();
  const published = new Set<string>();
  const delivered = new Set<string>();
  const counts = { successes: 0, failures: 0 };
  const over = new AbortController();

  queue.consume(name, { concurrency: 2 }, ({ id }) => {
    delivered.add(id);
    return Promise.resolve('ack');
  });

  async function lane(operate: (id: string) => Promise<unknown>, known: Set<string>) {
    while (!over.signal.aborted) {
      const id = newId('evt');
      try {
        await ends(operate(id));
        known.add(id);
        counts.successes += 1;
      } catch (error) {
        assert.ok(!(error instanceof Endless), 'an operation neither succeeded nor failed');
        counts.failures += 1;
      }
      await delay(20);
    }
  }

  const lanes = [
    lane((id) => usage.insertBatch([usageRecord(id, { organizationId: name })]), stored),
    lane((id) => queue.publish(name, { id, body: '' }), published),
  ];

  async function count(kind: keyof typeof counts, more: number): Promise<void> {
    const target = counts[kind] + more;
    while (counts[kind] < target) await Promise.race([delay(20), ...lanes]);
  }

  return {
    successes: (more: number) => count('successes', more),
    failures: (more: number) => count('failures', more),
    async finish() {
      over.abort();
      await Promise.all(lanes);
      while (published.difference(delivered).size > 0 || held.state() !== 'locked') await delay(50);
      await queue.close();
      await store.close();
      await held.release();
      await assertKept(name, stored);
    },
  };
}

/** Every acknowledged record is there, and the sums are those of the records. */
async function assertKept(name: string, stored: ReadonlySet<string>): Promise<void> {
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

class Endless extends Error {}

async function ends(operation: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = delay(EVERYTHING_ENDS_WITHIN_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Endless();
  });
  late.catch(() => {});
  try {
    await Promise.race([operation, late]);
  } finally {
    timer.abort();
  }
}
