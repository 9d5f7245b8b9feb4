import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Acknowledgements } from './acknowledgements.ts';

/** A broker that records the open deliveries of the channel and the acknowledgements. */
function openChannel() {
  const open = new Set<number>();
  const acks: { readonly deliveryTag?: number; readonly multiple?: boolean }[] = [];
  const channel = {
    active: true,
    basicAck(ack: { readonly deliveryTag?: number; readonly multiple?: boolean }) {
      acks.push(ack);
      const { deliveryTag = 0, multiple = false } = ack;
      assert.ok(open.has(deliveryTag), 'acknowledging a tag that is not open closes the channel');
      for (const tag of open)
        if (tag === deliveryTag || (multiple && tag < deliveryTag)) open.delete(tag);
    },
  };
  const acknowledgements = new Acknowledgements(channel);
  function deliver(tag: number): void {
    open.add(tag);
    acknowledgements.noteDelivered(tag);
  }
  function requeue(tag: number): void {
    open.delete(tag);
    acknowledgements.noteReturned(tag);
  }
  return { acknowledgements, channel, deliver, requeue, open, acks };
}

test('deliveries done in one turn are one frame if no older one is open', () => {
  const { acknowledgements, deliver, open, acks } = openChannel();
  for (const tag of [1, 2, 3, 4, 5]) deliver(tag);
  for (const tag of [3, 1, 2, 5]) acknowledgements.add(tag);
  acknowledgements.flush();
  assert.deepEqual(acks, [{ deliveryTag: 3, multiple: true }, { deliveryTag: 5 }]);
  assert.deepEqual([...open], [4]);
});

test('the end of the turn flushes the batch', async () => {
  const { acknowledgements, deliver, open } = openChannel();
  deliver(1);
  acknowledgements.add(1);
  assert.deepEqual([...open], [1]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([...open], []);
});

test('nothing is acknowledged on a lost channel', () => {
  const { acknowledgements, channel, deliver, acks } = openChannel();
  deliver(1);
  acknowledgements.add(1);
  channel.active = false;
  acknowledgements.flush();
  assert.deepEqual(acks, []);
});

test('exactly the done deliveries are acknowledged, in any order of completion', () => {
  const ending = fc.constantFrom('ack', 'return', 'keep', 'flush');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30), ending), { maxLength: 80 }), (steps) => {
      const { acknowledgements, deliver, requeue, open } = openChannel();
      for (let tag = 1; tag <= 31; tag += 1) deliver(tag);
      const settled = new Set<number>();
      for (const [index, what] of steps) {
        const tag = index + 1;
        if (what === 'flush') acknowledgements.flush();
        if (settled.has(tag) || what === 'flush' || what === 'keep') continue;
        settled.add(tag);
        if (what === 'ack') acknowledgements.add(tag);
        else requeue(tag);
      }
      acknowledgements.flush();
      for (let tag = 1; tag <= 31; tag += 1) assert.equal(open.has(tag), !settled.has(tag));
    }),
  );
});
