// The dispatcher on a provider queue that foreign workers share: which deliveries publish a message, and which do not.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createDeadLetterStore } from '../../adapters/sql/jobs/dead-letter-store.ts';
import { createJobStore } from '../../adapters/sql/jobs/job-store.ts';
import { createQueueSignals } from '../../adapters/sql/queue/queue-signals.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';
import { isHandedOver } from '../model/job.ts';
import type { Delivery, DeliveryHandler, QueueMessage } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { type ProviderChoice, startDispatcher } from './dispatch-job.ts';

const BODY = '{ "AnalysisId": "A1",\n "prompt": "Hello" }';
const ROUTE = { kind: 'route', provider: 'gemini', queue: 'gemini-queue' } as const;

suite('the dispatcher on a shared provider queue', () => {
  let store: JobStore;
  let close: () => Promise<void>;
  let published: { queue: string; message: QueueMessage }[];
  let dispatch: (delivery: Partial<Delivery>) => Promise<unknown>;
  let choice: ProviderChoice;
  let isCommitted: boolean;

  beforeEach(async () => {
    const sqlite = await openSqlite(':memory:');
    close = () => sqlite.close();
    const signals = createQueueSignals();
    store = createJobStore({ db: sqlite.db, signals });
    published = [];
    [choice, isCommitted] = [ROUTE, true];
    const publish = async (queue: string, message: QueueMessage) => {
      if (!isCommitted) throw new Error('the broker is gone');
      published.push({ queue, message });
    };
    let handler: DeliveryHandler = () => assert.fail('it consumes nothing');
    startDispatcher({
      store,
      deadLetters: createDeadLetterStore(sqlite.db, signals),
      queue: { publish },
      source: {
        consume(_queue, _options, given) {
          handler = given;
          return { close: async () => {} };
        },
      },
      chooseProvider: async () => choice,
      organizationExists: async () => true,
      defaultOrganizationId: 'default',
      rawQueue: 'raw',
      returningQueue: 'raw-returning',
      queues: {},
      sharesQueues: true,
      clock: createTestClock(),
      newId,
      log: silentLog,
    });
    dispatch = (delivery) =>
      handler(
        { id: 'm1', body: BODY, deliveries: 1, replaceBy: publish, ...delivery },
        () => {},
        (work) => work(),
      );
  });
  afterEach(() => close());

  const job = async () =>
    (await store.find({ organizationId: 'default', publicId: 'A1' })) ?? assert.fail('no job');

  test('the message is carried as it came, with the pointer of its handed-over job', async () => {
    await dispatch({});
    const { id, fence, ...handed } = await job();
    assert.ok(isHandedOver(handed));
    assert.ok(handed.leaseUntil !== undefined);
    const carries = { source: { body: BODY }, jobId: id, fence };
    assert.deepEqual(published, [
      { queue: 'gemini-queue', message: { id: 'A1', body: '', carries } },
    ]);
  });

  test('a delivery that was not committed is published when it is repeated', async () => {
    isCommitted = false;
    await assert.rejects(dispatch({}));
    isCommitted = true;
    await dispatch({ deliveries: 2 });
    assert.equal(published.length, 1);
  });

  test('a committed delivery that a broker repeats is dropped', async () => {
    await dispatch({});
    assert.equal(await dispatch({ deliveries: 2 }), 'ack');
    assert.equal(published.length, 1);
  });

  test('a message that the producer repeats is handed over again, as the same job', async () => {
    await dispatch({});
    await dispatch({ id: 'm2' });
    const jobIds = published.map(({ message }) => message.carries?.jobId);
    assert.deepEqual(jobIds, [(await job()).id, (await job()).id]);
  });

  test('a carried message that was moved back to the raw queue is published again', async () => {
    await dispatch({});
    const { id: jobId, fence } = await job();
    await dispatch({ pointer: { jobId, fence } });
    assert.equal(published.length, 2);
  });

  test('a copy of the pointer under which the job was delayed publishes nothing', async () => {
    choice = { kind: 'wait', until: 0, code: 'RATE_LIMITED' };
    await dispatch({});
    const pointer = published[0]?.message.body ?? '';
    choice = ROUTE;
    await dispatch({ body: pointer });
    assert.equal(await dispatch({ body: pointer }), 'ack');
    assert.equal(await dispatch({ body: pointer, deliveries: 2 }), 'ack');
    assert.deepEqual(
      published.map(({ queue }) => queue),
      ['raw-returning', 'gemini-queue'],
    );
  });

  test('a job that has to wait for a provider limit waits in front of the dispatcher', async () => {
    choice = { ...ROUTE, runAt: Number.MAX_SAFE_INTEGER, waitCode: 'AI_LIMIT_REACHED' };
    await dispatch({});
    assert.equal(published[0]?.queue, 'raw-returning');
    assert.equal(isHandedOver(await job()), false);
  });
});
