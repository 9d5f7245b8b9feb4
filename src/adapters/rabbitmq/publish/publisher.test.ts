// Concurrent publishes keep the order of the calls, and a returned message never counts as confirmed. Failures of the broker
// are in broker-faults.test.ts.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { servicesFromEnv } from '../../../../test/support/services/services-from-env.ts';
import { openRabbitRig, type RabbitRig } from '../../../../test/support/stores/rabbit-rig.ts';
import type { JobQueue } from '../../../jobs/ports/job-queue.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { outgoing } from './outgoing-message.ts';
import { Publisher } from './publisher.ts';
import { directTo } from './route.ts';

const { rabbitmqUrl } = servicesFromEnv(process.env);

describe('publishing to RabbitMQ', { timeout: 60_000 }, () => {
  let rig: RabbitRig;
  beforeEach(async () => {
    rig = await openRabbitRig(rabbitmqUrl);
  });
  afterEach(() => rig.close());

  it('keeps the order of the calls while the first one waits for its queue', async () => {
    const name = rig.name('ordered');
    const ids: string[] = [];
    const publishing: Promise<void>[] = [];
    const publish = () => {
      const id = `m${ids.length}`;
      ids.push(id);
      const message = outgoing({ id, body: '' }, systemClock.now());
      publishing.push(publisher.publish(directTo(name), message));
    };
    const hopped = Promise.withResolvers<void>();
    // Publishes in each turn in which the queue may be known while earlier messages are still unsent.
    const onDeclared = async () => {
      for (let hops = 0; hops < 40; hops += 1) {
        publish();
        await Promise.resolve();
      }
      hopped.resolve();
    };
    const settings = { queueType: 'classic', ladderName: rig.name('none'), onDeclared } as const;
    const options = { confirmTimeoutMs: 10_000, maxPending: 100 };
    const publisher = new Publisher(rig.outsider, settings, options);
    publish();
    publish();
    await hopped.promise;
    await Promise.all(publishing);
    await publisher.close();
    assert.deepEqual(await take(rig.queue, name, ids.length), ids);
  });

  it('keeps the order of calls that an earlier publish triggers', async () => {
    const name = rig.name('chained');
    const called: string[] = [];
    const publish = async (id: string) => {
      called.push(id);
      await rig.queue.publish(name, { id, body: '' });
    };
    await publish('first');
    const chain = async (lane: number) => {
      for (let step = 0; step < 20; step += 1) await publish(`${lane}.${step}`);
    };
    await Promise.all([0, 1, 2, 3, 4].map(chain));
    assert.deepEqual(await take(rig.queue, name, called.length), called);
  });

  it('does not confirm a returned message, though others are confirmed in the same turn', async () => {
    const [there, gone] = [rig.name('there'), rig.name('gone')];
    for (const name of [there, gone]) await rig.queue.publish(name, { id: 'before', body: '' });
    await rig.outsider.withChannel((channel) => channel.queueDelete({ queue: gone }));
    const ids = Array.from({ length: 200 }, (_, index) => `m${index}`);
    const publishing = ids.map((id, index) =>
      rig.queue.publish(index % 2 ? gone : there, { id, body: '' }),
    );
    await Promise.all(publishing);
    const arrived = new Set(await take(rig.queue, gone, 100));
    assert.deepEqual(
      ids.filter((id, index) => index % 2 === 1 && !arrived.has(id)),
      [],
    );
  });

  it('waits for pending publishes on close and refuses new ones', async () => {
    const name = rig.name('closed');
    const queue = await rig.open();
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
    await queue.publish(name, { id: 'before', body: '' });
    let confirmed = 0;
    for (const id of ids)
      void queue.publish(name, { id, body: '' }).then(() => {
        confirmed += 1;
      });
    await queue.close();
    assert.equal(confirmed, ids.length);
    await assert.rejects(queue.publish(name, { id: 'after', body: '' }), /the queue is closed/);
    assert.deepEqual(await take(rig.queue, name, ids.length + 1), ['before', ...ids]);
  });

  it('refuses a publish beyond the bound, and accepts one again after a confirm', async () => {
    const name = rig.name('bounded');
    const queue = await rig.open({ maxPending: 3 });
    await queue.publish(name, { id: 'before', body: '' });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => queue.publish(name, { id: `m${index}`, body: '' })),
    );
    const taken = outcomes.map(({ status }) => status === 'fulfilled');
    assert.deepEqual(taken, [true, true, true, false, false]);
    await queue.publish(name, { id: 'next', body: '' });
    assert.deepEqual(await take(queue, name, 5), ['before', 'm0', 'm1', 'm2', 'next']);
  });
});

/** The ids of the first distinct messages, in order of arrival. */
async function take(queue: JobQueue, name: string, count: number): Promise<readonly string[]> {
  const ids = new Set<string>();
  const all = Promise.withResolvers<void>();
  const consumer = queue.consume(name, { concurrency: 1 }, ({ id }) => {
    if (ids.add(id).size === count) all.resolve();
    return Promise.resolve('ack');
  });
  await all.promise;
  await consumer.close();
  return [...ids];
}
