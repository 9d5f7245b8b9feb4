import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery, DeliveryOutcome, QueueMessage } from '../ports/job-queue.ts';
import { startRelay } from './relay-outbox.ts';

type Handle = (delivery: Delivery) => Promise<DeliveryOutcome>;

type Rig = {
  readonly handlers: Map<string, Handle>;
  readonly published: { queue: string; message: QueueMessage }[];
  readonly closed: string[];
  readonly relay: ReturnType<typeof startRelay>;
};

function rig(publish: () => Promise<void> = async () => {}): Rig {
  const handlers = new Map<string, Handle>();
  const published: { queue: string; message: QueueMessage }[] = [];
  const closed: string[] = [];
  const relay = startRelay({
    queues: ['raw', 'provider'],
    outbox: {
      consume(queue, { concurrency }, handler) {
        assert.ok(concurrency > 0);
        handlers.set(queue, (delivery) =>
          handler(
            delivery,
            () => {},
            (run) => run(),
          ),
        );
        return { close: async () => void closed.push(queue) };
      },
    },
    broker: {
      async publish(queue, message) {
        await publish();
        published.push({ queue, message });
      },
    },
  });
  return { handlers, published, closed, relay };
}

test('an outbox message is published unchanged to the queue of the same name and deleted', async () => {
  const { handlers, published } = rig();
  const delivery = { id: 'm1', body: '{"x":1}', deliveries: 1 };
  assert.equal(await handlers.get('provider')?.(delivery), 'ack');
  assert.deepEqual(published, [{ queue: 'provider', message: { id: 'm1', body: '{"x":1}' } }]);
  assert.deepEqual([...handlers.keys()], ['raw', 'provider']);
});

test('a message with an id in its body is published under that id', async () => {
  const { handlers, published } = rig();
  const body = '{"id":"analysis-7","status":"succeeded"}';
  await handlers.get('raw')?.({ id: 'job_1.4', body, deliveries: 1 });
  assert.deepEqual(published, [{ queue: 'raw', message: { id: 'analysis-7', body } }]);
  await handlers.get('raw')?.({ id: 'm2', body: '{"id":7}', deliveries: 1 });
  assert.equal(published[1]?.message.id, 'm2');
});

test('a message is not deleted before the broker has confirmed it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { handlers, published } = rig(() => promise);
  let isAcknowledged = false;
  const relaying = handlers
    .get('raw')?.({ id: 'm1', body: '', deliveries: 1 })
    .then(() => {
      isAcknowledged = true;
    });
  await new Promise((next) => setImmediate(next));
  assert.equal(isAcknowledged, false);
  resolve();
  await relaying;
  assert.equal(published.length, 1);
});

test('the message stays in the outbox while the broker is unavailable', async () => {
  const { handlers } = rig(() => Promise.reject(new Error('the broker is unavailable')));
  const relaying = handlers.get('raw')?.({ id: 'm1', body: '', deliveries: 1 });
  assert.ok(relaying);
  await assert.rejects(relaying, /unavailable/);
});

test('closing closes every consumer', async () => {
  const { relay, closed } = rig();
  await relay.close();
  assert.deepEqual(closed, ['raw', 'provider']);
});
