// The part of the queue contract for queues that serve tenants in turn and by priority.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JobQueue } from '../../../src/jobs/ports/job-queue.ts';
import { collect, depth } from './consume-queue.ts';

export function tenantQueueCases(queueOf: () => JobQueue): void {
  it('an id that is in the queue is not added again', async () => {
    const queue = queueOf();
    await queue.publish('q', { id: 'twice', body: 'first' });
    await queue.publish('q', { id: 'twice', body: 'second' });
    assert.equal((await depth(queue)).ready, 1);
    assert.equal((await collect(queue, 'q', 1))[0]?.body, 'first');
  });

  it('tenant queues are served in turn, whatever their lengths', async () => {
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

  it('an idle tenant queue gains no turns', async () => {
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

  it('priority orders the messages of a tenant queue and takes no turns from others', async () => {
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
