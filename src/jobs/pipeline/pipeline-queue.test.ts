import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobQueue } from '../ports/job-queue.ts';
import { createPipelineQueue } from './pipeline-queue.ts';

function named(name: string, log: string[], has: readonly string[]): JobQueue {
  return {
    publish: async (queue, { id }) => void log.push(`${name}: ${id} on ${queue}`),
    consume: () => assert.fail(`${name} is not consumed here`),
    depth: async () => ({ ready: has.length, delayed: 1, inFlight: 2 }),
    missing: async (_queue, messages) =>
      messages.map(({ id }) => id).filter((id) => !has.includes(id)),
    ahead: async () => (name === 'tenant queues' ? 7 : undefined),
    close: async () => void log.push(`${name} is closed`),
  };
}

function open() {
  const log: string[] = [];
  const broker = named('broker', log, ['b']);
  const tenantQueues = named('tenant queues', log, ['h', 'i']);
  return { log, queue: createPipelineQueue({ broker, tenantQueues }) };
}

test("callers' messages go to the tenant queues, other systems' messages to the broker", async () => {
  const { log, queue } = open();
  await queue.publish('q', { id: 'theirs', body: '' });
  await queue.publish('q', { id: 'ours', body: '', tenant: 'acme' });
  assert.deepEqual(log, ['broker: theirs on q', 'tenant queues: ours on q']);
});

test('a message is missing if neither queue has it, and depths are added up', async () => {
  const { queue } = open();
  const asked = ['b', 'h', 'x'].map((id) => ({ id, publishedAt: 0 }));
  assert.deepEqual(await queue.missing('q', asked), ['x']);
  assert.deepEqual(await queue.missing('q', [{ id: 'h', publishedAt: 0 }]), []);
  const depth = await queue.depth('q');
  assert.deepEqual([depth.ready, depth.delayed, depth.inFlight], [3, 2, 4]);
  assert.equal(await queue.ahead('q', 'h'), 7);
});
