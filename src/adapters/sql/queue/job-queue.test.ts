import assert from 'node:assert/strict';
import { it } from 'node:test';
import { jobQueueContract } from '../../../../test/contract/jobs/job-queue.ts';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { newId } from '../../../kernel/ids.ts';
import { silentLog } from '../../../kernel/log.ts';
import { openSqlite } from '../../sqlite/open-sqlite.ts';
import { releaseLeases } from '../release-leases.ts';
import { createJobQueue } from './job-queue.ts';
import { createQueueSignals } from './queue-signals.ts';

async function openQueue() {
  const store = await openSqlite(':memory:');
  const clock = createTestClock();
  const parts = { ...store, signals: createQueueSignals(), clock, log: silentLog, newId };
  const queue = createJobQueue(parts);
  return {
    store,
    clock,
    queue,
    reopen: () => createJobQueue(parts),
    pass: (ms: number) => clock.advance(ms),
    async close() {
      await queue.close();
      assert.equal(clock.pendingTimers(), 0, 'a timer was left behind');
      await store.close();
    },
  };
}

jobQueueContract('embedded storage', openQueue, { isFair: true });

it('a sole process delivers the messages of its predecessor immediately', async () => {
  const { store, clock, queue, reopen } = await openQueue();
  await queue.publish('q', { id: 'held', body: '' });
  const begun = Promise.withResolvers<void>();
  // This consumer plays a process that was killed: it never ends and is never closed.
  queue.consume('q', { concurrency: 1 }, () => {
    begun.resolve();
    return new Promise(() => {});
  });
  await begun.promise;
  await releaseLeases(store.db, clock.now());
  const next = reopen();
  const again = Promise.withResolvers<number>();
  next.consume('q', { concurrency: 1 }, ({ deliveries }) => {
    again.resolve(deliveries);
    return Promise.resolve('ack');
  });
  assert.equal(await again.promise, 2);
  await next.close();
});

it('a message stays leased while its handler takes long', async () => {
  const { clock, queue, reopen } = await openQueue();
  await queue.publish('q', { id: 'long', body: '' });
  const begun = Promise.withResolvers<void>();
  const consumer = queue.consume('q', { concurrency: 1 }, async () => {
    begun.resolve();
    return new Promise(() => {});
  });
  await begun.promise;
  const other = reopen();
  const taken: number[] = [];
  other.consume('q', { concurrency: 1 }, ({ deliveries }) => {
    taken.push(deliveries);
    return Promise.resolve('ack');
  });
  for (let lap = 0; lap < 12; lap += 1) await clock.advance(20_000);
  assert.deepEqual(taken, []);
  void consumer.close();
  await other.close();
});

it("polling finds another process's messages", async () => {
  const store = await openSqlite(':memory:');
  const clock = createTestClock();
  const parts = { ...store, clock, log: silentLog, newId };
  const mine = createJobQueue({ ...parts, signals: createQueueSignals(), pollMs: 500 });
  const theirs = createJobQueue({ ...parts, signals: createQueueSignals() });
  const got = Promise.withResolvers<string>();
  mine.consume('q', { concurrency: 1 }, ({ id }) => {
    got.resolve(id);
    return Promise.resolve('ack');
  });
  await clock.advance(100);
  await theirs.publish('q', { id: 'theirs', body: '' });
  await clock.advance(600);
  assert.equal(await got.promise, 'theirs');
  await mine.close();
  await theirs.close();
  await store.close();
});
