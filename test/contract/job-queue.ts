// What every JobQueue promises. The test of each adapter calls this with its own queue and the clock it runs on:
// a test clock where time can be moved by hand, the real one where a broker keeps the time.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { DeliveryOutcome, JobQueue } from '../../src/jobs/ports/job-queue.ts';
import type { Clock } from '../../src/kernel/clock.ts';

export type OpenedJobQueue = {
  readonly queue: JobQueue;
  /** Lets this much time pass. */
  readonly pass: (ms: number) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  close(): Promise<void>;
};

export type JobQueueTraits = {
  /** Whether tenant queues take turns and priorities are kept. */
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

    it('delivers what was published, once, in order, and forgets what is acknowledged', async () => {
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

    it('wakes a consumer that waits', async () => {
      const { queue } = opened;
      const collecting = collect(queue, 'q', 1);
      await queue.publish('q', { id: 'late', body: '' });
      assert.equal((await collecting)[0]?.id, 'late');
    });

    it('keeps queues apart', async () => {
      const { queue } = opened;
      await queue.publish('q', { id: 'same', body: 'mine' });
      await queue.publish('other', { id: 'same', body: 'other' });
      assert.equal((await collect(queue, 'other', 1))[0]?.body, 'other');
      assert.equal((await depth(queue)).ready, 1);
    });

    it('holds a delayed message back until its moment, and no other', async () => {
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

    it('delivers again after the wait that the handler asked for', async () => {
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

    it('delivers again when the handler throws', async () => {
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

    it('has no more in hand than was asked for', async () => {
      const { queue } = opened;
      for (let index = 0; index < 9; index += 1)
        await queue.publish('q', { id: `m${index}`, body: '' });
      let inHand = 0;
      let most = 0;
      let done = 0;
      const all = Promise.withResolvers<void>();
      queue.consume('q', { concurrency: 3 }, async () => {
        inHand += 1;
        most = Math.max(most, inHand);
        await new Promise((resolve) => setImmediate(resolve));
        inHand -= 1;
        done += 1;
        if (done === 9) all.resolve();
        return 'ack';
      });
      await all.promise;
      assert.equal(most, 3);
    });

    it('begins the next when one leaves its place, waits for both, and has no more finishing than may', async () => {
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

    it('finishes what is in hand when it is closed, and starts nothing more', async () => {
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

    it('stops taking when the signal is aborted', async () => {
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

    it('tells how many are ready, held back and in hand', async () => {
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

    it('tells which messages are gone', async () => {
      const { queue } = opened;
      await queue.publish('q', { id: 'gone', body: '' });
      await collect(queue, 'q', 1);
      assert.deepEqual(await queue.missing('q', [{ id: 'gone', publishedAt: 0 }]), ['gone']);
    });

    if (traits.isFair) fairness(() => opened.queue);
  });
}

function fairness(queueOf: () => JobQueue): void {
  it('takes an id it still holds only once', async () => {
    const queue = queueOf();
    await queue.publish('q', { id: 'twice', body: 'first' });
    await queue.publish('q', { id: 'twice', body: 'second' });
    assert.equal((await depth(queue)).ready, 1);
    assert.equal((await collect(queue, 'q', 1))[0]?.body, 'first');
  });

  it('lets tenant queues take turns, however much one of them holds', async () => {
    const queue = queueOf();
    for (let index = 0; index < 20; index += 1)
      await queue.publish('q', { id: `big${index}`, body: '', tenant: 'big' });
    for (let index = 0; index < 3; index += 1)
      await queue.publish('q', { id: `small${index}`, body: '', tenant: 'small' });
    assert.equal(await queue.ahead('q', 'small0'), 1);
    const order = (await collect(queue, 'q', 23)).map(({ id }) => id);
    const lastOfSmall = Math.max(...[0, 1, 2].map((index) => order.indexOf(`small${index}`)));
    assert.ok(lastOfSmall <= 6, `the small tenant queue was done at ${lastOfSmall}`);
  });

  it('gives a tenant queue that was idle no credit for it', async () => {
    const queue = queueOf();
    for (let index = 0; index < 10; index += 1)
      await queue.publish('q', { id: `old${index}`, body: '', tenant: 'busy' });
    await collect(queue, 'q', 10);
    for (let index = 0; index < 3; index += 1) {
      await queue.publish('q', { id: `busy${index}`, body: '', tenant: 'busy' });
      await queue.publish('q', { id: `idle${index}`, body: '', tenant: 'idle' });
    }
    const order = (await collect(queue, 'q', 6)).map(({ id }) => id.slice(0, 4));
    assert.ok(order.slice(0, 4).includes('busy'));
  });

  it('serves the urgent first within a tenant queue, without taking turns from others', async () => {
    const queue = queueOf();
    for (const [id, priority] of [
      ['low', 1],
      ['mid', 5],
      ['top', 9],
    ] as const)
      await queue.publish('q', { id, body: '', tenant: 'mine', priority });
    await queue.publish('q', { id: 'theirs', body: '', tenant: 'other', priority: 0 });
    const order = (await collect(queue, 'q', 4)).map(({ id }) => id);
    assert.deepEqual(
      order.filter((id) => id !== 'theirs'),
      ['top', 'mid', 'low'],
    );
    assert.ok(order.indexOf('theirs') <= 1);
  });
}

/** A broker keeps real time and is late by what the machine is: what is awaited comes, or the test ends in time. */
async function passUntil({ pass }: OpenedJobQueue, isDone: () => boolean): Promise<void> {
  for (let laps = 0; laps < 60 && !isDone(); laps += 1) await pass(500);
}

function ack(): Promise<DeliveryOutcome> {
  return Promise.resolve('ack');
}

async function depth(queue: JobQueue) {
  const { ready, delayed, inFlight } = await queue.depth('q');
  return { ready, delayed, inFlight };
}

/** Consumes one at a time until so many came. */
async function collect(queue: JobQueue, name: string, count: number) {
  const got: { id: string; body: string; deliveries: number }[] = [];
  const enough = Promise.withResolvers<void>();
  const consumer = queue.consume(name, { concurrency: 1 }, (delivery) => {
    got.push(delivery);
    if (got.length >= count) enough.resolve();
    return ack();
  });
  await enough.promise;
  await consumer.close();
  return got;
}
