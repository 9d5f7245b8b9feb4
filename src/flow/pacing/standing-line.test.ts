import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createDistance } from './keep-distance.ts';
import type { LineAnswer } from './permit-line.ts';
import { StandingLine } from './standing-line.ts';

const NEAR_MS = 1000;

/** A limit that lets one through at each of its moments, and says how long it is until the next. */
function rig(freeEveryMs: number, firstAfterMs = freeEveryMs, intervalMs = freeEveryMs) {
  const clock = createTestClock();
  const startedAt = clock.now();
  let [asks, nextAt] = [0, startedAt + firstAfterMs];
  const line = new StandingLine({
    async ask({ id, limits }) {
      asks += 1;
      const afterMs = nextAt - clock.now();
      if (afterMs > 0) return { kind: 'later', afterMs };
      nextAt = clock.now() + freeEveryMs;
      const ask = { id, limits, tokens: 0, expiresMs: 1 };
      return { kind: 'allowed', ask, askedAtMs: clock.monotonic() };
    },
    keepDistance: createDistance(clock),
    intervalMs,
    clock,
  });
  const told: [name: string, kind: LineAnswer['kind'], afterMs: number][] = [];
  const closing = new AbortController();
  function stand(name: string, dueAfterMs?: number): void {
    const own = dueAfterMs === undefined ? {} : { dueAt: startedAt + dueAfterMs };
    const { signal } = closing;
    const question = { id: name, limits: [], as: 'returning', signal, ...own } as const;
    void line
      .stand(question, NEAR_MS)
      .then(({ kind }) => told.push([name, kind, clock.now() - startedAt]));
  }
  return { clock, line, stand, told, closing, asks: () => asks };
}

test('they go one by one in the order of their moments, and only the first asks', async () => {
  const { clock, line, stand, told, asks } = rig(100);
  stand('first', 1);
  stand('third', 3);
  stand('second', 2);
  assert.equal(line.waitMs, 300);
  await clock.advance(0);
  await clock.advance(1000);
  assert.deepEqual(told, [
    ['first', 'allowed', 100],
    ['second', 'allowed', 200],
    ['third', 'allowed', 300],
  ]);
  assert.equal(asks(), 6);
  assert.equal(line.waitMs, 0);
});

test('who has no moment is given one, so that a burst of free places is not used in a burst', async () => {
  const { clock, stand, told } = rig(1, 50, 100);
  for (const name of ['a', 'b', 'c']) stand(name);
  await clock.advance(0);
  await clock.advance(1000);
  assert.deepEqual(told, [
    ['a', 'allowed', 50],
    ['b', 'allowed', 90],
    ['c', 'allowed', 180],
  ]);
});

test('who has stood for a second is sent back, and comes again at its place', async () => {
  const { clock, stand, told } = rig(400);
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) stand(name, index);
  await clock.advance(0);
  await clock.advance(1200);
  assert.deepEqual(told, [
    ['a', 'allowed', 400],
    ['b', 'allowed', 800],
    ['c', 'allowed', 1200],
    ['d', 'stay', 1200],
  ]);
});

test('when it is time to stop all are sent back, also who waits for its answer', async () => {
  const { clock, stand, told, closing } = rig(100);
  for (const name of ['a', 'b', 'c']) stand(name);
  await clock.advance(0);
  await clock.advance(100);
  closing.abort();
  await clock.advance(0);
  stand('late');
  await clock.advance(0);
  assert.deepEqual(
    told.toSorted(([one], [other]) => one.localeCompare(other)),
    [
      ['a', 'allowed', 100],
      ['b', 'stay', 100],
      ['c', 'stay', 100],
      ['late', 'stay', 100],
    ],
  );
});

test('what is too far away is not stood for, and those behind hear of it too', async () => {
  const { clock, stand, told } = rig(100, 2 * NEAR_MS);
  stand('a');
  stand('b');
  await clock.advance(0);
  await clock.advance(90);
  assert.deepEqual(told, [
    ['a', 'later', 0],
    ['b', 'later', 90],
  ]);
});

test('whoever stands when is answered, once', async () => {
  const comer = fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 3000 }));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 300 }),
      fc.array(comer, { maxLength: 60 }),
      async (intervalMs, comers) => {
        const { clock, stand, told } = rig(intervalMs);
        for (const [index, [at, dueAfterMs]] of comers.entries())
          clock.after(at, () => stand(`${index}`, dueAfterMs));
        await clock.advance(60_000);
        assert.equal(new Set(told.map(([name]) => name)).size, comers.length);
        assert.equal(told.length, comers.length);
      },
    ),
    { numRuns: 100 },
  );
});
