import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { Delivery, DeliveryHandler } from '../../jobs/job-queue.ts';
import { silentLog } from '../../kernel/log.ts';
import { type ConsumersPlace, type MessageSource, QueueConsumer } from './queue-consumer.ts';

const LEASE_MS = 60_000;

/** A queue of a few messages whose store can go away. */
function openQueue(ids: readonly string[], handler: DeliveryHandler) {
  const clock = createTestClock();
  const ready = ids.map((id): Delivery => ({ id, body: '', deliveries: 1 }));
  const settled: string[] = [];
  const renewed: (readonly string[])[] = [];
  const store = { isAway: false };
  const offered: { reserve: () => ConsumersPlace | undefined } = { reserve: () => undefined };
  const source: MessageSource = {
    name: 'q',
    leaseMs: LEASE_MS,
    pollMs: undefined,
    claim: async (count) => ready.splice(0, count),
    async settle(id) {
      if (store.isAway) throw new Error('the store is away');
      settled.push(id);
    },
    giveBack: async () => {},
    renew: async (held) => void renewed.push(held),
    nextDueAt: async () => undefined,
    listen: () => () => {},
    offerPlaces(reserve) {
      offered.reserve = reserve;
      return () => {};
    },
  };
  const consumer = new QueueConsumer(
    source,
    { concurrency: 2, finishing: 0, handler },
    { clock, log: silentLog },
  );
  return { clock, consumer, settled, renewed, store, offered };
}

test('what was handled while the store was away is settled when it is back', async () => {
  const { clock, consumer, settled, store } = openQueue(['a', 'b'], async () => 'ack');
  store.isAway = true;
  await clock.advance(3000);
  assert.deepEqual(settled, []);
  store.isAway = false;
  await clock.advance(1000);
  assert.deepEqual(new Set(settled), new Set(['a', 'b']));
  await consumer.close();
});

test('a store that stays away does not keep a consumer from closing', async () => {
  const { clock, consumer, settled, store } = openQueue(['a'], async () => 'ack');
  store.isAway = true;
  await clock.advance(1000);
  await consumer.close();
  assert.deepEqual(settled, []);
});

test('the leases of what is in hand are renewed, and no others', async () => {
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

test('what a place was kept for is handled without being claimed, and its lease is renewed', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<'ack'>();
  const { clock, consumer, renewed, settled, offered } = openQueue([], () => slow);
  await clock.advance(0);
  offered.reserve()?.take({ id: 'announced', body: '', deliveries: 1 });
  await clock.advance(LEASE_MS / 3);
  assert.deepEqual(renewed, [['announced']]);
  resolve('ack');
  await consumer.close();
  assert.deepEqual(settled, ['announced']);
});

test('places are kept for no more than can be in hand, and one that is left is free again', async () => {
  const { clock, consumer, offered } = openQueue([], async () => 'ack');
  await clock.advance(0);
  const places = [offered.reserve(), offered.reserve()];
  assert.equal(offered.reserve(), undefined);
  places[0]?.leave();
  assert.notEqual(offered.reserve(), undefined);
  await consumer.close();
  assert.equal(offered.reserve(), undefined);
});

test('what a place was kept for is taken off with others a moment later, and by the end at the latest', async () => {
  const { clock, consumer, settled, offered } = openQueue([], async () => 'ack');
  await clock.advance(0);
  for (const id of ['a', 'b']) offered.reserve()?.take({ id, body: '', deliveries: 1 });
  await clock.advance(10);
  assert.deepEqual(settled, []);
  await clock.advance(100);
  assert.deepEqual(settled, ['a', 'b']);
  offered.reserve()?.take({ id: 'c', body: '', deliveries: 1 });
  await consumer.close();
  assert.deepEqual(settled, ['a', 'b', 'c']);
});
