import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { outgoing } from './outgoing-message.ts';
import { type PendingPublish, PendingPublishes } from './pending-publishes.ts';
import { directTo } from './route.ts';

const TIMEOUT_MS = 1000;

function open() {
  const clock = createTestClock();
  const pending = new PendingPublishes(clock, TIMEOUT_MS);
  /** A publish, and the outcome that its caller has seen so far. */
  function add(): { readonly publish: PendingPublish; outcome: string } {
    const publish = pending.add(directTo('q'), outgoing({ id: 'm', body: '' }, clock.now()));
    const caller = { publish, outcome: 'none' };
    publish.result.promise.then(
      () => {
        caller.outcome = 'confirmed';
      },
      (cause: unknown) => {
        caller.outcome = String(cause);
      },
    );
    return caller;
  }
  return { clock, pending, add };
}

test('each publish rejects at its own timeout', async () => {
  const { clock, add } = open();
  const first = add();
  await clock.advance(400);
  const second = add();
  await clock.advance(599);
  assert.deepEqual([first.outcome, second.outcome], ['none', 'none']);
  await clock.advance(1);
  assert.match(first.outcome, /did not confirm a message within 1000 ms/);
  assert.equal(second.outcome, 'none');
  await clock.advance(399);
  assert.equal(second.outcome, 'none');
  await clock.advance(1);
  assert.match(second.outcome, /did not confirm a message within 1000 ms/);
});

test('an expired publish counts until it is settled, without a second outcome', async () => {
  const { clock, pending, add } = open();
  const caller = add();
  await clock.advance(TIMEOUT_MS);
  const { outcome } = caller;
  assert.notEqual(outcome, 'none');
  assert.equal(pending.size, 1);
  pending.confirm(caller.publish);
  await clock.advance(0);
  assert.equal(pending.size, 0);
  assert.equal(caller.outcome, outcome);
});

test('drained resolves with the last publish, and at once without any', async () => {
  const { clock, pending, add } = open();
  await pending.drained();
  const [first, second] = [add(), add()];
  let isEmpty = false;
  void pending.drained().then(() => {
    isEmpty = true;
  });
  await clock.advance(TIMEOUT_MS);
  pending.fail(first.publish, new Error('refused'));
  await clock.advance(0);
  assert.equal(isEmpty, false);
  pending.confirm(second.publish);
  await clock.advance(0);
  assert.equal(isEmpty, true);
});

test('one timer serves all publishes, and none is left after the last', async () => {
  const { clock, pending, add } = open();
  for (let laps = 0; laps < 5; laps += 1) {
    for (const { publish } of Array.from({ length: 20 }, add)) pending.confirm(publish);
    add();
    assert.equal(clock.pendingTimers(), 1);
    await clock.advance(TIMEOUT_MS / 4);
  }
  await clock.advance(2 * TIMEOUT_MS);
  assert.equal(clock.pendingTimers(), 0);
});

test('no publish outlives its timeout or expires before it, whatever settles in between', async () => {
  const step = fc.record({ afterMs: fc.nat(700), ends: fc.option(fc.nat(20), { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { clock, pending, add } = open();
      const callers: ReturnType<typeof add>[] = [];
      const ended = new Map<number, boolean>();
      for (const { afterMs, ends } of steps) {
        callers.push(add());
        await clock.advance(afterMs);
        const caller = ends === undefined ? undefined : callers[ends];
        if (!caller || ended.has(ends ?? 0)) continue;
        ended.set(ends ?? 0, pending.leftMs(caller.publish) > 0);
        pending.confirm(caller.publish);
      }
      await clock.advance(0);
      for (const [index, { publish, outcome }] of callers.entries()) {
        const isLate = pending.leftMs(publish) <= 0;
        const inTime = ended.get(index);
        if (inTime) assert.equal(outcome, 'confirmed');
        else if (isLate) assert.match(outcome, /within 1000 ms/);
        else assert.equal(outcome, 'none');
      }
      assert.equal(pending.size, callers.length - ended.size);
    }),
    { numRuns: 50 },
  );
});
