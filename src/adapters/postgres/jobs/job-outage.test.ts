// The job pipeline on a PostgreSQL server that is killed and frozen: every accepted job ends with one result, without
// intervention.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createJobRig, success } from '../../../../test/contract/jobs/job-rig.ts';
import type { Services } from '../../../../test/support/services/services.ts';
import { startServices } from '../../../../test/support/services/start-services.ts';
import {
  createTestDatabase,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { sleep, systemClock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import { silentLog } from '../../../kernel/log.ts';
import { createDeadLetterStore } from '../../sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../../sql/jobs/job-history.ts';
import { createJobQueue } from '../../sql/queue/job-queue.ts';
import { createQueueSignals } from '../../sql/queue/queue-signals.ts';
import { openPostgres } from '../connection/open-postgres.ts';
import { createPostgresJobStore } from './job-store.ts';
import { createPostgresQueueOperations } from './queue-operations.ts';

const TIMEOUTS = { connectTimeoutMs: 500, statementTimeoutMs: 800, queryTimeoutMs: 1000 };

/** Messages leased when the server died are delivered again after this. */
const LEASE_MS = 3000;
const IN_TIME = { timeout: 120_000 };

let services: Services;
let database: TestDatabase;
before(async () => {
  const env = { PATH: process.env['PATH'] };
  services = await startServices({ env, log: () => {}, wanted: ['postgres'] });
  database = await createTestDatabase('job outage', { serverUrl: services.databaseUrl });
});
after(() => services.close());

test(
  'every accepted job ends with one result while PostgreSQL is killed and frozen',
  IN_TIME,
  async () => {
    const rig = openRig();
    rig.run(async () => {
      await delay(Math.random() * 30);
      return success('done');
    });
    rig.startDispatcher();
    rig.startWorker(4);
    const accepted = new Set<string>();
    const over = new AbortController();
    const submitting = (async () => {
      while (!over.signal.aborted) {
        const submitted = await rig.submit().catch(() => undefined);
        if (submitted) accepted.add(submitted.id);
        await delay(20);
      }
    })();
    const more = async (count: number) => {
      const target = accepted.size + count;
      while (accepted.size < target) await delay(20);
    };
    await more(20);
    await services.postgres.kill('SIGKILL');
    await services.postgres.restart();
    await more(20);
    await services.postgres.freeze();
    await delay(2500);
    await services.postgres.thaw();
    await more(20);
    over.abort();
    await submitting;
    await untilAllEnded(accepted);
    await rig.close();
  },
);

function openRig() {
  const postgres = openPostgres(database.url, TIMEOUTS);
  const { db, dialect } = postgres;
  const signals = createQueueSignals();
  const operations = createPostgresQueueOperations(postgres);
  const parts = { db, dialect, operations, signals, clock: systemClock, log: silentLog, newId };
  const queue = createJobQueue({ ...parts, pollMs: 500, leaseMs: LEASE_MS });
  const jobServices = {
    store: createPostgresJobStore({ store: postgres, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    queue,
    clock: systemClock,
    pass: (ms: number) => sleep(systemClock, ms),
    async close() {
      await queue.close();
      await postgres.close();
    },
  };
  return createJobRig(jobServices, LEASE_MS);
}

async function untilAllEnded(accepted: ReadonlySet<string>): Promise<void> {
  for (;;) {
    const rows = await runOn(
      database.url,
      `select id, state, (select count(*) from spillway.job_results where job_id = id)::int as results
       from spillway.jobs`,
    );
    const ids = new Set(rows.map((row) => String(row['id'])));
    assert.deepEqual([...accepted.difference(ids)], [], 'accepted and lost');
    if (rows.every(({ state, results }) => state === 'succeeded' && results === 1)) return;
    await delay(200);
  }
}
