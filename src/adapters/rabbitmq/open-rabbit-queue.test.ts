// Behaviour that only RabbitMQ has: queues and messages of other systems, fixed delays, and the limits of the broker. The
// contract of all job queues is in the contract suite.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { servicesFromEnv } from '../../../test/support/services/services-from-env.ts';
import {
  collectingLog,
  openRabbitRig,
  type RabbitRig,
} from '../../../test/support/stores/rabbit-rig.ts';
import type { Delivery, DeliveryOutcome, JobQueue } from '../../jobs/ports/job-queue.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { openRabbitQueue } from './open-rabbit-queue.ts';
import { fixedDelayQueue, type QueueType } from './topology/queue-definition.ts';

const { rabbitmqUrl } = servicesFromEnv(process.env);
const FOREIGN_BODY =
  '{ "AnalysisId": 12345678901234567890, "prompt":"Grüße",\n "metadata": {"b":1,"a":[]} }';

describe('queues on RabbitMQ', { timeout: 60_000 }, () => {
  let rig: RabbitRig;
  beforeEach(async () => {
    rig = await openRabbitRig(rabbitmqUrl);
  });
  afterEach(() => rig.close());

  async function declare(queue: string, args: Record<string, unknown> = {}, durable = true) {
    await rig.outsider.withChannel((channel) =>
      channel.queueDeclare({ queue, durable, arguments: args }),
    );
  }

  async function sendForeign(queue: string, properties: object, body: string) {
    await rig.outsider.withChannel(async (channel) => {
      await channel.confirmSelect();
      await channel.basicPublish({ routingKey: queue, ...properties }, Buffer.from(body));
    });
  }

  it('uses a queue that a producer declared with other arguments', async () => {
    const name = rig.name('theirs');
    await declare(name, { 'x-max-priority': 5 });
    const quorum = await rig.open({ queueType: 'quorum' });
    await quorum.publish(name, { id: 'mine', body: 'text' });
    assert.equal((await next(quorum, name)).id, 'mine');
  });

  for (const contentType of ['application/json', 'text/plain', undefined])
    it(`reads another system's body as it was sent, with content type ${contentType}`, async () => {
      const name = rig.name('foreign');
      await declare(name);
      await sendForeign(name, { contentType }, FOREIGN_BODY);
      const delivery = await next(rig.queue, name);
      assert.equal(delivery.body, FOREIGN_BODY);
      assert.equal(delivery.deliveries, 1);
    });

  it("retries another system's message unchanged", async () => {
    const name = rig.name('again');
    await declare(name);
    const properties = {
      contentType: 'application/json',
      correlationId: 'c1',
      expiration: '86400000',
      headers: { tenant: 'acme', 'x-death': 'not yours', CC: [rig.name('copy')] },
    };
    await sendForeign(name, properties, FOREIGN_BODY);
    const deliveries: Delivery[] = [];
    const twice = Promise.withResolvers<void>();
    const consumer = rig.queue.consume(name, { concurrency: 1 }, (delivery) => {
      deliveries.push(delivery);
      if (deliveries.length === 2) twice.resolve();
      return Promise.resolve(deliveries.length === 1 ? { retryAfterMs: 300 } : keep());
    });
    await twice.promise;
    const [first, second] = deliveries;
    assert.equal(second?.id, first?.id);
    assert.equal(second?.body, FOREIGN_BODY);
    assert.equal(second?.deliveries, 2);
    await consumer.close();
  });

  it('keeps properties and headers through a delay, without the broker’s own', async () => {
    const name = rig.name('carried');
    await declare(name);
    const headers = { tenant: 'acme', 'x-delivery-count': 3 };
    const properties = { contentType: 'application/json', correlationId: 'c1', headers };
    await sendForeign(name, { ...properties, expiration: '60000', messageId: 'm1' }, FOREIGN_BODY);
    const closing = Promise.withResolvers<Promise<void>>();
    const consumer = rig.queue.consume(name, { concurrency: 1 }, async () => {
      closing.resolve(consumer.close());
      return { retryAfterMs: 500 };
    });
    await closing.promise;
    const message = await rig.outsider.withChannel(async (channel) => {
      for (;;) {
        const got = await channel.basicGet({ queue: name, noAck: true });
        if (got) return got;
      }
    });
    assert.equal(message.messageId, 'm1');
    assert.equal(message.correlationId, 'c1');
    assert.equal(message.expiration, undefined);
    assert.equal(message.durable, true);
    assert.equal(message.headers?.['tenant'], 'acme');
    assert.equal(message.headers?.['x-spillway-deliveries'], 4);
  });

  it('handles no message before it is due, and counts only handled deliveries', async () => {
    const name = rig.name('early');
    await declare(name);
    const dueAt = Date.now() + 2500;
    await sendForeign(name, { headers: { 'x-spillway-due-at': dueAt } }, FOREIGN_BODY);
    const delivery = await next(rig.queue, name);
    assert.ok(Date.now() >= dueAt, 'the message was early');
    assert.equal(delivery.body, FOREIGN_BODY);
    assert.equal(delivery.deliveries, 1);
  });

  for (const queueType of ['classic', 'quorum'] satisfies QueueType[])
    it(`delays messages by a fixed time on the existing systems' queue, ${queueType}`, async () => {
      const queue = await rig.open({ queueType });
      const name = rig.name('fixed');
      const { queue: delayedName, arguments: args } = fixedDelayQueue(name, 400, queueType);
      assert.equal(rig.name('fixed-delayed-400ms'), delayedName);
      const publishedAt = Date.now();
      await queue.publishDelayedFixed(name, { id: 'one', body: '1' }, 400);
      await queue.publishDelayedFixed(name, { id: 'two', body: '2' }, 400);
      const first = await next(queue, name);
      assert.ok(Date.now() - publishedAt >= 400, 'the message was early');
      assert.equal(first.id, 'one');
      // An equal declaration succeeds; any other would be refused.
      await declare(delayedName, { ...args });
      if (queueType === 'quorum') return;
      await declare(delayedName, {
        'x-message-ttl': 400,
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': name,
      });
    });

  it('keeps delays of hours off the broker', async () => {
    const name = rig.name('long');
    await rig.queue.publish(name, { id: 'tomorrow', body: '' }, { delayMs: 24 * 3_600_000 });
    assert.ok(rig.queue.longestDelayMs >= 600_000);
    assert.deepEqual(await rig.queue.depth(name), { ready: 0, delayed: 0, inFlight: 0 });
    const wasPublishedAt = Date.now() - 24 * 3_600_000;
    const asked = [{ id: 'tomorrow', publishedAt: wasPublishedAt }];
    assert.deepEqual(await rig.queue.missing(name, asked), ['tomorrow']);
  });

  it('counts a waiting message as present', async () => {
    const name = rig.name('waiting');
    await rig.queue.publish(name, { id: 'first', body: '' });
    const tenMinutesAgo = Date.now() - 600_000;
    const asked = [{ id: 'first', publishedAt: tenMinutesAgo }];
    // This publish declared the queue, so an older message cannot be on it.
    assert.deepEqual(await rig.queue.missing(name, asked), ['first']);
    const other = await rig.open();
    assert.deepEqual(await other.missing(name, asked), []);
  });

  it('refuses an invalid queue name and an oversized message, and continues', async () => {
    const name = rig.name('fine');
    const message = { id: 'm', body: '' };
    await assert.rejects(rig.queue.publish('x'.repeat(300), message), { code: 'INTERNAL' });
    const large = { id: 'large', body: 'x'.repeat(17 * 2 ** 20) };
    await assert.rejects(rig.queue.publish(name, large), { code: 'REQUEST_TOO_LARGE' });
    const longId = 'ä'.repeat(200);
    await rig.queue.publish(name, { id: longId, body: '' });
    assert.equal((await next(rig.queue, name)).id, longId);
  });

  it('is ready to publish in a turn that has written already', async () => {
    const [from, to] = [rig.name('from'), rig.name('to')];
    const log = collectingLog();
    const queue = await rig.open({ log });
    const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id) => queue.publish(from, { id, body: '' })));
    const arrived = new Set<string>();
    const all = Promise.withResolvers<void>();
    queue.consume(from, { concurrency: 8 }, async ({ id, body }) => {
      await queue.publish(to, { id, body });
      return 'ack';
    });
    queue.consume(to, { concurrency: 8 }, async ({ id }) => {
      if (arrived.add(id).size === ids.length) all.resolve();
      return 'ack';
    });
    await all.promise;
    assert.deepEqual(log.entries, []);
  });

  it('publishes to a queue that was deleted since the last publish', async () => {
    const name = rig.name('deleted');
    await rig.queue.publish(name, { id: 'before', body: '' });
    await rig.outsider.withChannel((channel) => channel.queueDelete({ queue: name }));
    await rig.queue.publish(name, { id: 'after', body: '' });
    assert.equal((await next(rig.queue, name)).id, 'after');
  });

  it('requeues prefetched deliveries that were not started on close', async () => {
    const eager = await rig.open({ prefetch: 5 });
    const name = rig.name('eager');
    for (const id of ['a', 'b', 'c']) await eager.publish(name, { id, body: '' });
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const consumer = eager.consume(name, { concurrency: 1 }, async () => {
      begun.resolve();
      await mayEnd.promise;
      return 'ack';
    });
    await begun.promise;
    while ((await eager.depth(name)).inFlight < 3);
    const closing = consumer.close();
    mayEnd.resolve();
    await closing;
    assert.deepEqual(
      [(await next(rig.queue, name)).id, (await next(rig.queue, name)).id],
      ['b', 'c'],
    );
  });

  for (const [queueType, deliveries] of [
    ['classic', 2],
    ['quorum', 3],
  ] as const)
    it(`counts deliveries as far as a ${queueType} queue does`, async () => {
      const queue = await rig.open({ queueType });
      const name = rig.name('counted');
      await queue.publish(name, { id: 'm', body: '' });
      // Two consumers receive the message and disconnect without acknowledging.
      for (let times = 0; times < 2; times += 1)
        await rig.outsider.withChannel(async (channel) => {
          while (!(await channel.basicGet({ queue: name })));
        });
      assert.equal((await next(queue, name)).deliveries, deliveries);
    });

  it('opens without its broker, and a publish rejects within its timeout', async () => {
    const queue = await openRabbitQueue({
      url: 'amqp://127.0.0.1:1',
      queueType: 'classic',
      clock: systemClock,
      log: silentLog,
      confirmTimeoutMs: 300,
      connectWaitMs: 100,
    });
    const consumer = queue.consume('q', { concurrency: 1 }, () => assert.fail('nothing is there'));
    await assert.rejects(queue.publish('q', { id: 'm', body: '' }), { code: 'CAPACITY_EXHAUSTED' });
    const { findings } = await queue.inspectQueues(['q']);
    assert.match(findings[0]?.sentence ?? '', /is unavailable .*ECONNREFUSED/);
    await consumer.close();
    await queue.close();
    await queue.close();
  });
});

function keep(): DeliveryOutcome {
  return 'ack';
}

async function next(queue: JobQueue, name: string): Promise<Delivery> {
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  const consumer = queue.consume(name, { concurrency: 1 }, (delivery) => {
    resolve(delivery);
    return Promise.resolve('ack');
  });
  const delivery = await promise;
  await consumer.close();
  return delivery;
}
