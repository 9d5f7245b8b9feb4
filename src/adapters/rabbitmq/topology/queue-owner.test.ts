import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { servicesFromEnv } from '../../../../test/support/services/services-from-env.ts';
import {
  collectingLog,
  openRabbitRig,
  type RabbitRig,
} from '../../../../test/support/stores/rabbit-rig.ts';
import { until } from '../../../../test/support/stores/redis-rig.ts';
import { recordOf } from './claim-queue.ts';
import { readQueue } from './declare-queue.ts';

const { rabbitmqUrl } = servicesFromEnv(process.env);

describe('queues of two stores on one broker', { timeout: 60_000 }, () => {
  let rig: RabbitRig;
  let queue: string;
  beforeEach(async () => {
    rig = await openRabbitRig(rabbitmqUrl);
    queue = rig.name('raw');
  });
  afterEach(async () => {
    await rig.outsider.withChannel((channel) =>
      channel.exchangeDelete({ exchange: recordOf(queue) }),
    );
    await rig.close();
  });

  const open = (storeId: string) => rig.open({ owner: { storeId, queues: [queue] } });

  it('the servers of one store share a queue, and a server of another store finds it foreign', async () => {
    for (const storeId of ['store-1', 'store-1'])
      assert.equal(await (await open(storeId)).findForeignQueue(), undefined);
    assert.equal(await (await open('store-2')).findForeignQueue(), queue);
  });

  it('after the record is deleted the next store has the queue', async () => {
    await (await open('store-1')).findForeignQueue();
    await rig.outsider.withChannel((channel) =>
      channel.exchangeDelete({ exchange: recordOf(queue) }),
    );
    assert.equal(await (await open('store-2')).findForeignQueue(), undefined);
  });

  it('a queue that is found foreign after the start is not consumed', async () => {
    await (await open('store-1')).findForeignQueue();
    const log = collectingLog();
    const other = await rig.open({ owner: { storeId: 'store-2', queues: [queue] }, log });
    await rig.queue.publish(queue, { id: 'theirs', body: '{}' });
    other.consume(queue, { concurrency: 1 }, async () => assert.fail('it is not delivered'));
    await until(() => log.entries.some(({ message }) => message === 'queue cannot be consumed'));
    assert.equal((await readQueue(rig.outsider, queue))?.messages, 1);
  });
});
