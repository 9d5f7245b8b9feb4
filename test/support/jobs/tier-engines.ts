// The engines of the two-tier tests: embedded storage, or PostgreSQL with RabbitMQ.

import { createPostgresJobStore } from '../../../src/adapters/postgres/jobs/job-store.ts';
import { createPostgresQueueOperations } from '../../../src/adapters/postgres/jobs/queue-operations.ts';
import { createDeadLetterStore } from '../../../src/adapters/sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../../../src/adapters/sql/jobs/job-history.ts';
import { createJobStore } from '../../../src/adapters/sql/jobs/job-store.ts';
import { createJobQueue } from '../../../src/adapters/sql/queue/job-queue.ts';
import { createQueueSignals } from '../../../src/adapters/sql/queue/queue-signals.ts';
import { openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openEmptyStore, type TestDatabase } from '../stores/isolated-postgres.ts';
import { openRabbitRig, type RabbitRig } from '../stores/rabbit-rig.ts';
import type { TierEngines } from './tier-rig.ts';

export type OpenedEngines = TierEngines & { close(): Promise<void> };

const BASIS = { log: silentLog, newId };

export async function openEmbeddedEngines(clock: Clock = systemClock): Promise<OpenedEngines> {
  const sqlite = await openSqlite(':memory:');
  const { db, dialect } = sqlite;
  const signals = createQueueSignals();
  const tenantQueues = createJobQueue({ ...BASIS, clock, db, dialect, signals });
  return {
    store: createJobStore({ db, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    tenantQueues,
    clock,
    name: (purpose) => purpose,
    async close() {
      await tenantQueues.close();
      await sqlite.close();
    },
  };
}

export async function openBrokerEngines(
  database: TestDatabase,
  rabbitmqUrl: string,
): Promise<OpenedEngines & { readonly rabbit: RabbitRig }> {
  const postgres = await openEmptyStore(database);
  const { db, dialect } = postgres;
  const signals = createQueueSignals();
  const operations = createPostgresQueueOperations(postgres);
  const clock = systemClock;
  const tenantQueues = createJobQueue({ ...BASIS, clock, db, dialect, operations, signals });
  const rabbit = await openRabbitRig(rabbitmqUrl);
  return {
    store: createPostgresJobStore({ store: postgres, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    tenantQueues,
    clock,
    broker: rabbit.queue,
    name: rabbit.name,
    rabbit,
    async close() {
      await tenantQueues.close();
      await rabbit.close();
      await postgres.close();
    },
  };
}
