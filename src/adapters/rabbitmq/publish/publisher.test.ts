// What publishing promises where many come at once: the order of the calls, and that none is taken for confirmed which the
// broker has returned. That it goes on through failures of the broker is tested beside those.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { servicesFromEnv } from '../../../../test/support/services/services-from-env.ts';
import { openRabbitRig, type RabbitRig } from '../../../../test/support/stores/rabbit-rig.ts';
import type { JobQueue } from '../../../jobs/ports/job-queue.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { outgoing } from './outgoing-message.ts';
import { Publisher } from './publisher.ts';
import { straightTo } from './route.ts';

const { rabbitmqUrl } = servicesFromEnv(process.env);

describe('publishing to RabbitMQ', { timeout: 60_000 }, () => {
  let rig: RabbitRig;
  beforeEach(async () => {
    rig = await openRabbitRig(rabbitmqUrl);
  });
  afterEach(() => rig.close());

  it('keeps the order of the calls though the first has to wait for its queue to be made', async () => {
    const name = rig.name('ordered');
    const ids: string[] = [];
    const publishing: Promise<void>[] = [];
    const publish = () => {
      const id = `m${ids.length}`;
      ids.push(id);
      const message = outgoing({ id, body: '' }, systemClock.now());
      publishing.push(publisher.publish(straightTo(name), message));
    };
    const hopped = Promise.withResolvers<void>();
    // At every moment at which the queue may have become known while those that waited for it are not sent.
    const onMade = async () => {
      for (let hops = 0; hops < 40; hops += 1) {
        publish();
        await Promise.resolve();
      }
      hopped.resolve();
    };
    const settings = { queueType: 'classic', ladderName: rig.name('none'), onMade } as const;
    const options = { confirmTimeoutMs: 10_000, maxWaiting: 100 };
    const publisher = new Publisher(rig.outsider, settings, options);
    publish();
    publish();
    await hopped.promise;
    await Promise.all(publishing);
    await publisher.close();
    assert.deepEqual(await take(rig.queue, name, ids.length), ids);
  });

  it('keeps the order of the calls where some are made by what an earlier one resolves', async () => {
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

  it('takes none for confirmed that was returned, though others are confirmed in the same turn', async () => {
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

  it('waits when it is closed for what is on its way, and takes nothing after', async () => {
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

  it('refuses one more than may wait, and takes the next when one is confirmed', async () => {
    const name = rig.name('bounded');
    const queue = await rig.open({ maxWaiting: 3 });
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

/** The ids of so many different messages, in the order in which they come. */
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
