import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import {
  BUILD_EVENTS_CLOCK_START,
  buildEventStoreContract,
  UNOWNED_ORGANIZATION,
} from '../../../test/contract/build-event-store.ts';
import {
  createTestDatabase,
  runOn,
  type TestDatabase,
} from '../../../test/support/stores/isolated-postgres.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { newJob } from '../../jobs/intake/submit-job.ts';
import { cancelled } from '../../jobs/model/job-moves.ts';
import type { JobStore } from '../../jobs/ports/job-store.ts';
import { newId } from '../../kernel/ids.ts';
import { type LogEntry, silentLog } from '../../kernel/log.ts';
import { createBuildEventStore } from '../sql/build-events.ts';
import { createJobHistory } from '../sql/jobs/job-history.ts';
import { createJobProgress, type JobProgress } from '../sql/jobs/job-progress.ts';
import { createJobStore } from '../sql/jobs/job-store.ts';
import { createQueueSignals } from '../sql/queue/queue-signals.ts';
import { migratePostgres } from './connection/migrate-postgres.ts';
import { openPostgres, type PostgresStore } from './connection/open-postgres.ts';
import { createPostgresJobStore } from './jobs/job-store.ts';

const signals = createQueueSignals();
const clock = createTestClock(BUILD_EVENTS_CLOCK_START);

const JOB_STORES: Record<string, (store: PostgresStore, progress: JobProgress) => JobStore> = {
  PostgreSQL: (store, progress) => createPostgresJobStore({ store, signals, progress }),
  'PostgreSQL by the common SQL': ({ db }, progress) => createJobStore({ db, signals, progress }),
};

for (const [name, createJobs] of Object.entries(JOB_STORES))
  buildEventStoreContract(name, async () => {
    const database = await createTestDatabase('events');
    const store = openPostgres(database.url);
    const progress = createJobProgress({ dialect: store.dialect, clock, log: silentLog });
    return {
      events: createBuildEventStore(store, { unownedOrganization: UNOWNED_ORGANIZATION }),
      async insertUnowned(buildId) {
        await sql`insert into project_build_events (build_id, event_type, event_data)
          values (${buildId}, 'theirs', '{}')`.execute(store.db);
      },
      jobs: createJobs(store, progress),
      history: createJobHistory(store.db, progress),
      async close() {
        await store.close();
        await database.drop();
      },
    };
  });

describe('a table of build events that belongs to a product', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  before(async () => {
    database = await createTestDatabase('product', { isMigrated: false });
    await runOn(
      database.url,
      `create table project_build_events (
         id serial primary key, build_id varchar(12) not null, event_type varchar(50) not null,
         event_data jsonb not null, created_at timestamp not null default current_timestamp,
         overall_progress numeric(3,2), duration_seconds integer, error_message text)`,
    );
    await migratePostgres(database.url);
    store = openPostgres(database.url);
  });
  after(async () => {
    await store.close();
    await database.drop();
  });

  const EVENT = {
    organizationId: 'acme',
    buildId: 'b1',
    type: 'step',
    data: {},
    userVisible: true,
    finished: false,
    createdAt: 1_900_000_000_123,
  };

  it('stores events with the column types of the product', async () => {
    const events = createBuildEventStore(store);
    await events.append([{ ...EVENT, overallProgress: 0.5, durationSeconds: 2.4 }]);
    const page = { organizationId: 'acme', buildId: 'b1', after: 0, limit: 9 };
    const [event] = await events.list(page);
    assert.equal(event?.createdAt, EVENT.createdAt);
    assert.equal(event?.overallProgress, 0.5);
    assert.equal(event?.durationSeconds, 2);
  });

  it('an event that does not fit a column is INVALID_REQUEST', async () => {
    const events = createBuildEventStore(store);
    const refused = { code: 'INVALID_REQUEST' };
    await assert.rejects(events.append([{ ...EVENT, overallProgress: 50 }]), refused);
    await assert.rejects(events.append([{ ...EVENT, buildId: 'longer-than-the-column' }]), refused);
  });

  it('a job moves although the table rejects its progress', async () => {
    const entries: LogEntry[] = [];
    const log = { ...silentLog, write: (entry: LogEntry) => void entries.push(entry) };
    const progress = createJobProgress({ dialect: store.dialect, clock, log });
    for (const createJobs of Object.values(JOB_STORES)) {
      const jobs = createJobs(store, progress);
      const message = { prompt: 'x' };
      const submitter = { organizationId: 'acme' };
      const given = { message, submitter, origin: 'http', queue: 'raw' } as const;
      const { job, isNew } = await jobs.create(newJob(given, newId, 1), message);
      assert.equal(isNew, true);
      assert.equal((await jobs.move(cancelled(job, 2)))?.state, 'cancelled');
    }
    assert.equal(entries.length, 1);
  });

  it('rows of the product are visible to operators only', async () => {
    await runOn(
      database.url,
      `insert into project_build_events (build_id, event_type, event_data, error_message)
         values ('theirs', 'failed', '{"a": 1}', 'Claude AI usage limit reached|1900000360')`,
    );
    const events = createBuildEventStore(store);
    const page = { buildId: 'theirs', after: 0, limit: 9 };
    assert.deepEqual(await events.list({ ...page, organizationId: 'acme' }), []);
    const [event] = await events.list(page);
    assert.equal(event?.organizationId, undefined);
    assert.equal(event?.error?.code, undefined);
    assert.equal(event?.error?.internalMessage, 'Claude AI usage limit reached|1900000360');
  });
});
