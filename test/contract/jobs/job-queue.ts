// The contract of a JobQueue. The test of each adapter calls it with its queue and that queue's clock: a test clock, or
// the real one where a broker keeps the time.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { DeliveryOutcome, JobQueue } from '../../../src/jobs/ports/job-queue.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { ack, collect, depth } from './consume-queue.ts';
import { tenantQueueCases } from './tenant-queues.ts';

export type OpenedJobQueue = {
  readonly queue: JobQueue;
  /** Advances the clock, or waits. */
  readonly pass: (ms: number) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  close(): Promise<void>;
};

export type JobQueueTraits = {
  /** Whether tenant queues are served in turn and by priority. */
  readonly isFair: boolean;
};

export function jobQueueContract(
  adapter: string,
  open: () => Promise<OpenedJobQueue>,
  traits: JobQueueTraits,
): void {
  describe(`queues on ${adapter}`, () => {
    let opened: OpenedJobQueue;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('messages are delivered once and in order, and not after their acknowledgement', async () => {
      const { queue } = opened;
      for (const id of ['a', 'b', 'c']) await queue.publish('q', { id, body: `body ${id}` });
      const got = await collect(queue, 'q', 3);
      assert.deepEqual(
        got.map(({ id, body, deliveries }) => [id, body, deliveries]),
        [
          ['a', 'body a', 1],
          ['b', 'body b', 1],
          ['c', 'body c', 1],
        ],
      );
      assert.deepEqual(await depth(queue), { ready: 0, delayed: 0, inFlight: 0 });
    });

    it('a new message wakes an idle consumer', async () => {
      const { queue } = opened;
      const collecting = collect(queue, 'q', 1);
      await queue.publish('q', { id: 'late', body: '' });
      assert.equal((await collecting)[0]?.id, 'late');
    });

    it('a consumer gets the messages of its queue only', async () => {
      const { queue } = opened;
      await queue.publish('q', { id: 'same', body: 'mine' });
      await queue.publish('other', { id: 'same', body: 'other' });
      assert.equal((await collect(queue, 'other', 1))[0]?.body, 'other');
      assert.equal((await depth(queue)).ready, 1);
    });

    it('a delayed message is delivered when it is due and delays no other', async () => {
      const { queue, clock } = opened;
      const arrivals = new Map<string, number>();
      const publishedAt = clock.now();
      await queue.publish('q', { id: 'later', body: '' }, { delayMs: 3000 });
      await queue.publish('q', { id: 'now', body: '' });
      queue.consume('q', { concurrency: 1 }, (delivery) => {
        arrivals.set(delivery.id, clock.now());
        return ack();
      });
      await passUntil(opened, () => arrivals.size === 2);
      assert.deepEqual([...arrivals.keys()], ['now', 'later']);
      assert.ok((arrivals.get('later') ?? 0) - publishedAt >= 3000, 'it was early');
    });

    it('a message is delivered again after the delay that its handler returned', async () => {
      const { queue, clock } = opened;
      await queue.publish('q', { id: 'again', body: '' });
      const arrivals: number[] = [];
      queue.consume('q', { concurrency: 1 }, (): Promise<DeliveryOutcome> => {
        arrivals.push(clock.now());
        return arrivals.length === 1 ? Promise.resolve({ retryAfterMs: 2000 }) : ack();
      });
      await passUntil(opened, () => arrivals.length === 2);
      const [first = 0, second = 0] = arrivals;
      assert.ok(second - first >= 2000, 'it was early');
    });

    it('a message is delivered again if its handler throws', async () => {
      const { queue, pass } = opened;
      await queue.publish('q', { id: 'thrown', body: '' });
      let tries = 0;
      const first = Promise.withResolvers<void>();
      const second = Promise.withResolvers<void>();
      queue.consume('q', { concurrency: 1 }, async () => {
        tries += 1;
        (tries === 1 ? first : second).resolve();
        if (tries === 1) throw new Error('a mistake of ours');
        return 'ack';
      });
      await first.promise;
      await pass(0);
      await pass(6000);
      await second.promise;
    });

    it('a consumer runs at most `concurrency` handlers', async () => {
      const { queue } = opened;
      for (let index = 0; index < 9; index += 1)
        await queue.publish('q', { id: `m${index}`, body: '' });
      let running = 0;
      let most = 0;
      let done = 0;
      const all = Promise.withResolvers<void>();
      queue.consume('q', { concurrency: 3 }, async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        done += 1;
        if (done === 9) all.resolve();
        return 'ack';
      });
      await all.promise;
      assert.equal(most, 3);
    });

    it('a released slot starts the next delivery, and at most `finishing` deliveries are finishing', async () => {
      const { queue } = opened;
      for (const id of ['first', 'second', 'third']) await queue.publish('q', { id, body: '' });
      const mayEnd = Promise.withResolvers<void>();
      const second = Promise.withResolvers<void>();
      const started: string[] = [];
      const ended: string[] = [];
      const options = { concurrency: 1, finishing: 1 };
      const consumer = queue.consume('q', options, async ({ id }, releaseSlot) => {
        started.push(id);
        if (id === 'second') second.resolve();
        releaseSlot();
        releaseSlot();
        await mayEnd.promise;
        ended.push(id);
        return 'ack';
      });
      await second.promise;
      const closing = consumer.close();
      mayEnd.resolve();
      await closing;
      assert.deepEqual(
        [started, ended],
        [
          ['first', 'second'],
          ['first', 'second'],
        ],
      );
      const [rest] = await collect(queue, 'q', 1);
      assert.equal(rest?.id, 'third');
    });

    it('a delivery outside its slot lets others start, and resumes afterwards', async () => {
      const { queue } = opened;
      for (const id of ['slow', 'second', 'third']) await queue.publish('q', { id, body: '' });
      const others = Promise.withResolvers<void>();
      const resumed = Promise.withResolvers<void>();
      const ended: string[] = [];
      const consumer = queue.consume('q', { concurrency: 1 }, async ({ id }, _, outsideSlot) => {
        if (id === 'slow') await outsideSlot(() => others.promise);
        ended.push(id);
        if (id === 'third') others.resolve();
        if (id === 'slow') resumed.resolve();
        return 'ack';
      });
      await resumed.promise;
      await consumer.close();
      assert.deepEqual(ended, ['second', 'third', 'slow']);
    });

    it('a closing consumer finishes its deliveries and starts none', async () => {
      const { queue } = opened;
      for (const id of ['first', 'second']) await queue.publish('q', { id, body: '' });
      const begun = Promise.withResolvers<void>();
      const mayEnd = Promise.withResolvers<void>();
      const started: string[] = [];
      const consumer = queue.consume('q', { concurrency: 1 }, async ({ id }) => {
        started.push(id);
        begun.resolve();
        await mayEnd.promise;
        return 'ack';
      });
      await begun.promise;
      const closing = consumer.close();
      mayEnd.resolve();
      await closing;
      await consumer.close();
      assert.deepEqual(started, ['first']);
      const rest = await collect(queue, 'q', 1);
      assert.equal(rest[0]?.id, 'second');
    });

    it('an aborted signal stops the consumer', async () => {
      const { queue } = opened;
      const stop = new AbortController();
      const consumer = queue.consume('q', { concurrency: 1, signal: stop.signal }, () =>
        assert.fail('was stopped'),
      );
      stop.abort();
      await queue.publish('q', { id: 'kept', body: '' });
      await consumer.close();
      assert.equal((await depth(queue)).ready, 1);
    });

    it('the depth counts ready, delayed and in-flight messages', async () => {
      const { queue } = opened;
      await queue.publish('q', { id: '1', body: '' });
      await queue.publish('q', { id: '2', body: '' });
      await queue.publish('q', { id: '3', body: '' }, { delayMs: 60_000 });
      const begun = Promise.withResolvers<void>();
      const mayEnd = Promise.withResolvers<void>();
      const consumer = queue.consume('q', { concurrency: 1 }, async () => {
        begun.resolve();
        await mayEnd.promise;
        return 'ack';
      });
      await begun.promise;
      assert.deepEqual(await depth(queue), { ready: 1, delayed: 1, inFlight: 1 });
      const closing = consumer.close();
      mayEnd.resolve();
      await closing;
    });

    it('messages that are not in the queue are missing', async () => {
      const { queue } = opened;
      await queue.publish('q', { id: 'gone', body: '' });
      await collect(queue, 'q', 1);
      assert.deepEqual(await queue.missing('q', [{ id: 'gone', publishedAt: 0 }]), ['gone']);
    });

    if (traits.isFair) tenantQueueCases(() => opened.queue);
  });
}

/** A broker keeps real time, and its timers may be late on a busy machine: waits for a condition up to a limit. */
async function passUntil({ pass }: OpenedJobQueue, isDone: () => boolean): Promise<void> {
  for (let laps = 0; laps < 60 && !isDone(); laps += 1) await pass(500);
}
