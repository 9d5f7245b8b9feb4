// The take-over of messages from a provider queue that foreign workers share.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createDeadLetterStore } from '../../adapters/sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../../adapters/sql/jobs/job-history.ts';
import { createJobStore } from '../../adapters/sql/jobs/job-store.ts';
import { createQueueSignals } from '../../adapters/sql/queue/queue-signals.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';
import { isHandedOver } from '../model/job.ts';
import { started } from '../model/job-moves.ts';
import type { Delivery, DeliveryHandler, QueueMessage } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { startTakeOver } from './take-over-message.ts';

const BODY = '{"AnalysisId":"A1","prompt":"Hello"}';

suite('the take-over of a message', () => {
  let store: JobStore;
  let close: () => Promise<void>;
  let published: { queue: string; message: QueueMessage }[];
  let deliver: (delivery: Partial<Delivery>) => Promise<unknown>;
  let isCommitted: boolean;
  let countLetters: () => Promise<number>;

  beforeEach(async () => {
    const sqlite = await openSqlite(':memory:');
    close = () => sqlite.close();
    const signals = createQueueSignals();
    store = createJobStore({ db: sqlite.db, signals });
    const deadLetters = createDeadLetterStore(sqlite.db, signals);
    countLetters = () => deadLetters.count();
    published = [];
    isCommitted = true;
    const publish = async (queue: string, message: QueueMessage) => {
      if (!isCommitted) throw new Error('the broker is gone');
      published.push({ queue, message });
    };
    let handler: DeliveryHandler = () => assert.fail('it consumes nothing');
    const clock = createTestClock();
    const parts = {
      store,
      history: createJobHistory(sqlite.db),
      deadLetters,
      queue: {
        publish,
        depth: async () => ({ ready: 0, delayed: 0, inFlight: 0 }),
        consume(_queue: string, _options: object, given: DeliveryHandler) {
          handler = given;
          return { close: async () => {} };
        },
      },
      organizationExists: async () => true,
      defaultOrganizationId: 'default',
      clock,
      newId,
      log: silentLog,
    };
    const move = { from: 'shared', to: 'own', concurrency: 1, isShared: true, maxReady: 5 };
    const consumer = startTakeOver(parts, move);
    deliver = (delivery) =>
      handler(
        { id: 'm1', body: BODY, deliveries: 1, replaceBy: publish, ...delivery },
        () => {},
        (work) => work(),
      );
    close = async () => {
      await consumer.close();
      await sqlite.close();
    };
  });
  afterEach(() => close());

  const find = async () =>
    (await store.find({ organizationId: 'default', publicId: 'A1' })) ?? assert.fail('no job');

  test("a foreign dispatcher's message becomes a job and a pointer on Spillway's own queue", async () => {
    assert.equal(await deliver({}), 'ack');
    const job = await find();
    assert.deepEqual([job.queue, job.leaseOwner, job.fence], ['own', undefined, 1]);
    const [pointer] = published;
    assert.equal(pointer?.queue, 'own');
    assert.deepEqual(JSON.parse(pointer.message.body), { spillwayJob: job.id, fence: 1 });
    assert.equal((await store.message(job.id))?.source?.body, BODY);
  });

  test('a job stays handed over if the broker has not committed, and the next delivery takes it over', async () => {
    isCommitted = false;
    await assert.rejects(deliver({}));
    assert.ok(isHandedOver(await find()));
    isCommitted = true;
    await deliver({ deliveries: 2 });
    assert.equal((await find()).queue, 'own');
    assert.equal(published.length, 1);
  });

  test('a message of a job that a worker has claimed is dropped', async () => {
    await deliver({});
    const job = await find();
    await store.move(started(job, { workerId: 'w', leaseMs: 1000 }, 1));
    assert.equal(await deliver({ deliveries: 2 }), 'ack');
    assert.equal(published.length, 1);
  });

  test('a carried message of an unknown job is stored as a new one', async () => {
    await deliver({ pointer: { jobId: 'job_gone', fence: 2 } });
    assert.equal(published.length, 1);
    assert.equal((await find()).fence, 1);
  });

  test('a message that cannot be read is a dead letter', async () => {
    assert.equal(await deliver({ body: '{' }), 'ack');
    assert.deepEqual([published.length, await countLetters()], [0, 1]);
  });
});
