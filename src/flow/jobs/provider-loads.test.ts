import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createProviderLoads } from './provider-loads.ts';

function rig() {
  const clock = createTestClock();
  const depths = new Map([
    ['a', 0],
    ['b', 99],
  ]);
  const reads: string[] = [];
  const usable = new Set(['a', 'b']);
  let isAvailable = true;
  const loads = createProviderLoads({
    providers: ['a', 'b'],
    async depthOf(provider) {
      reads.push(provider);
      if (!isAvailable) throw new Error('the queue is unavailable');
      return depths.get(provider) ?? 0;
    },
    accountsOf: (provider) => [
      { perMinute: 100, headroom: undefined, isUsable: usable.has(provider) },
    ],
    clock,
  });
  const setAvailable = (value: boolean) => {
    isAvailable = value;
  };
  return { clock, depths, reads, usable, loads, setAvailable };
}

test('depths are read once for all messages of a second', async () => {
  const { clock, depths, reads, loads } = rig();
  const [first] = await Promise.all([loads.read(), loads.read(), loads.read()]);
  assert.deepEqual(Object.fromEntries(first), { a: 0.01, b: 1 });
  depths.set('a', 199);
  await clock.advance(999);
  assert.equal((await loads.read()).get('a'), 0.01);
  assert.deepEqual(reads, ['a', 'b']);
  await clock.advance(1);
  assert.equal((await loads.read()).get('a'), 2);
  assert.deepEqual(reads, ['a', 'b', 'a', 'b']);
});

test('messages routed since the reading count until the next one', async () => {
  const { clock, depths, loads } = rig();
  await loads.read();
  for (let index = 0; index < 49; index += 1) loads.routed('a');
  assert.equal((await loads.read()).get('a'), 0.5);
  depths.set('a', 49);
  await clock.advance(1000);
  assert.equal((await loads.read()).get('a'), 0.5);
});

test('a message that is routed during a reading is not lost', async () => {
  const { loads } = rig();
  const reading = loads.read();
  loads.routed('a');
  assert.equal((await reading).get('a'), 0.02);
});

test('while the queues are unavailable the last depths count', async () => {
  const { clock, loads, setAvailable } = rig();
  await loads.read();
  setAvailable(false);
  loads.routed('b');
  await clock.advance(5000);
  assert.deepEqual(Object.fromEntries(await loads.read()), { a: 0.01, b: 1.01 });
});

test('a limit of an account counts immediately, without a reading', async () => {
  const { loads, usable } = rig();
  await loads.read();
  usable.delete('a');
  assert.equal((await loads.read()).get('a'), Number.POSITIVE_INFINITY);
});
