import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { outgoing } from './outgoing-message.ts';
import { straightTo } from './route.ts';
import { type WaitingPublish, WaitingPublishes } from './waiting-publishes.ts';

const LIMIT_MS = 1000;

function open() {
  const clock = createTestClock();
  const waiting = new WaitingPublishes(clock, LIMIT_MS);
  /** A publish, and what its caller has heard so far. */
  function add(): { readonly publish: WaitingPublish; heard: string } {
    const publish = waiting.add(straightTo('q'), outgoing({ id: 'm', body: '' }, clock.now()));
    const caller = { publish, heard: 'nothing' };
    publish.told.promise.then(
      () => {
        caller.heard = 'confirmed';
      },
      (cause: unknown) => {
        caller.heard = String(cause);
      },
    );
    return caller;
  }
  return { clock, waiting, add };
}

test('each is told when its own time is up, the later ones not before theirs', async () => {
  const { clock, add } = open();
  const first = add();
  await clock.advance(400);
  const second = add();
  await clock.advance(599);
  assert.deepEqual([first.heard, second.heard], ['nothing', 'nothing']);
  await clock.advance(1);
  assert.match(first.heard, /did not confirm a message within 1000 ms/);
  assert.equal(second.heard, 'nothing');
  await clock.advance(399);
  assert.equal(second.heard, 'nothing');
  await clock.advance(1);
  assert.match(second.heard, /did not confirm a message within 1000 ms/);
});

test('one that was given up on counts until it is let go, and is told nothing more', async () => {
  const { clock, waiting, add } = open();
  const caller = add();
  await clock.advance(LIMIT_MS);
  const { heard } = caller;
  assert.notEqual(heard, 'nothing');
  assert.equal(waiting.size, 1);
  waiting.fulfil(caller.publish);
  await clock.advance(0);
  assert.equal(waiting.size, 0);
  assert.equal(caller.heard, heard);
});

test('waiting for all of them ends with the last, and at once when there is none', async () => {
  const { clock, waiting, add } = open();
  await waiting.whenEmpty();
  const [first, second] = [add(), add()];
  let isEmpty = false;
  void waiting.whenEmpty().then(() => {
    isEmpty = true;
  });
  await clock.advance(LIMIT_MS);
  waiting.fail(first.publish, new Error('refused'));
  await clock.advance(0);
  assert.equal(isEmpty, false);
  waiting.fulfil(second.publish);
  await clock.advance(0);
  assert.equal(isEmpty, true);
});

test('however many there are, one timer serves them, and none is left when nobody waits', async () => {
  const { clock, waiting, add } = open();
  for (let laps = 0; laps < 5; laps += 1) {
    for (const { publish } of Array.from({ length: 20 }, add)) waiting.fulfil(publish);
    add();
    assert.equal(clock.pendingTimers(), 1);
    await clock.advance(LIMIT_MS / 4);
  }
  await clock.advance(2 * LIMIT_MS);
  assert.equal(clock.pendingTimers(), 0);
});

test('nobody waits longer than the limit, nobody is given up on before, whatever ends in between', async () => {
  const step = fc.record({ afterMs: fc.nat(700), ends: fc.option(fc.nat(20), { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { clock, waiting, add } = open();
      const callers: ReturnType<typeof add>[] = [];
      const ended = new Map<number, boolean>();
      for (const { afterMs, ends } of steps) {
        callers.push(add());
        await clock.advance(afterMs);
        const caller = ends === undefined ? undefined : callers[ends];
        if (!caller || ended.has(ends ?? 0)) continue;
        ended.set(ends ?? 0, waiting.leftMs(caller.publish) > 0);
        waiting.fulfil(caller.publish);
      }
      await clock.advance(0);
      for (const [index, { publish, heard }] of callers.entries()) {
        const isLate = waiting.leftMs(publish) <= 0;
        const inTime = ended.get(index);
        if (inTime) assert.equal(heard, 'confirmed');
        else if (isLate) assert.match(heard, /within 1000 ms/);
        else assert.equal(heard, 'nothing');
      }
      assert.equal(waiting.size, callers.length - ended.size);
    }),
    { numRuns: 50 },
  );
});
