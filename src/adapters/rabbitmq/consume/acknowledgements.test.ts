import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Acknowledgements } from './acknowledgements.ts';

/** A broker that knows which deliveries are open on the channel, and what it was told. */
function openChannel() {
  const open = new Set<number>();
  const told: { readonly deliveryTag?: number; readonly multiple?: boolean }[] = [];
  const channel = {
    active: true,
    basicAck(ack: { readonly deliveryTag?: number; readonly multiple?: boolean }) {
      told.push(ack);
      const { deliveryTag = 0, multiple = false } = ack;
      assert.ok(open.has(deliveryTag), 'a tag that is not open costs the channel');
      for (const tag of open)
        if (tag === deliveryTag || (multiple && tag < deliveryTag)) open.delete(tag);
    },
  };
  const acknowledgements = new Acknowledgements(channel);
  function deliver(tag: number): void {
    open.add(tag);
    acknowledgements.noteDelivered(tag);
  }
  function giveBack(tag: number): void {
    open.delete(tag);
    acknowledgements.noteReturned(tag);
  }
  return { acknowledgements, channel, deliver, giveBack, open, told };
}

test('what is done with in one turn is one word where nothing before it is in hand', () => {
  const { acknowledgements, deliver, open, told } = openChannel();
  for (const tag of [1, 2, 3, 4, 5]) deliver(tag);
  for (const tag of [3, 1, 2, 5]) acknowledgements.add(tag);
  acknowledgements.flush();
  assert.deepEqual(told, [{ deliveryTag: 3, multiple: true }, { deliveryTag: 5 }]);
  assert.deepEqual([...open], [4]);
});

test('the end of the turn sends what nobody asked to be sent at once', async () => {
  const { acknowledgements, deliver, open } = openChannel();
  deliver(1);
  acknowledgements.add(1);
  assert.deepEqual([...open], [1]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([...open], []);
});

test('on a channel that is lost nothing is said', () => {
  const { acknowledgements, channel, deliver, told } = openChannel();
  deliver(1);
  acknowledgements.add(1);
  channel.active = false;
  acknowledgements.flush();
  assert.deepEqual(told, []);
});

test('exactly what was done with is acknowledged, in whatever order it ends', () => {
  const ending = fc.constantFrom('ack', 'return', 'keep', 'flush');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30), ending), { maxLength: 80 }), (steps) => {
      const { acknowledgements, deliver, giveBack, open } = openChannel();
      for (let tag = 1; tag <= 31; tag += 1) deliver(tag);
      const settled = new Set<number>();
      for (const [index, what] of steps) {
        const tag = index + 1;
        if (what === 'flush') acknowledgements.flush();
        if (settled.has(tag) || what === 'flush' || what === 'keep') continue;
        settled.add(tag);
        if (what === 'ack') acknowledgements.add(tag);
        else giveBack(tag);
      }
      acknowledgements.flush();
      for (let tag = 1; tag <= 31; tag += 1) assert.equal(open.has(tag), !settled.has(tag));
    }),
  );
});
