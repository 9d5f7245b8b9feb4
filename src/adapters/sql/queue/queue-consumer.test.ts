import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import type { Delivery, DeliveryHandler } from '../../../jobs/ports/job-queue.ts';
import { silentLog } from '../../../kernel/log.ts';
import { type MessageSource, QueueConsumer } from './queue-consumer.ts';

const LEASE_MS = 60_000;

/** A queue of a few messages on a store that can become unavailable. */
function openQueue(ids: readonly string[], handler: DeliveryHandler) {
  const clock = createTestClock();
  const ready = ids.map((id): Delivery => ({ id, body: '', deliveries: 1 }));
  const settled: string[] = [];
  const renewed: (readonly string[])[] = [];
  const store = { isAway: false };
  const source: MessageSource = {
    name: 'q',
    leaseMs: LEASE_MS,
    pollMs: undefined,
    claim: async (count) => ready.splice(0, count),
    async settle(id) {
      if (store.isAway) throw new Error('the store is unavailable');
      settled.push(id);
    },
    returnUnstarted: async () => {},
    renew: async (held) => void renewed.push(held),
    nextDueAt: async () => undefined,
    listen: () => () => {},
  };
  const consumer = new QueueConsumer(
    source,
    { concurrency: 2, finishing: 0, handler },
    { clock, log: silentLog },
  );
  return { clock, consumer, settled, renewed, store };
}

test('a delivery handled while the store was unavailable is acknowledged once it is back', async () => {
  const { clock, consumer, settled, store } = openQueue(['a', 'b'], async () => 'ack');
  store.isAway = true;
  await clock.advance(3000);
  assert.deepEqual(settled, []);
  store.isAway = false;
  await clock.advance(1000);
  assert.deepEqual(new Set(settled), new Set(['a', 'b']));
  await consumer.close();
});

test('a consumer closes while the store is unavailable', async () => {
  const { clock, consumer, settled, store } = openQueue(['a'], async () => 'ack');
  store.isAway = true;
  await clock.advance(1000);
  await consumer.close();
  assert.deepEqual(settled, []);
});

test('only the leases of deliveries in progress are renewed', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<'ack'>();
  const { clock, consumer, renewed } = openQueue(['quick', 'slow'], ({ id }) =>
    id === 'slow' ? slow : Promise.resolve('ack'),
  );
  await clock.advance(0);
  await clock.advance(LEASE_MS / 3);
  assert.deepEqual(renewed, [['slow']]);
  resolve('ack');
  await consumer.close();
});
