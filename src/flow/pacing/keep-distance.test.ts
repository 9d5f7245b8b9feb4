import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createDistance } from './keep-distance.ts';

const INTERVAL_MS = 100;

/** When each is let on, of those who come `(dueAt, cameAt)`, in milliseconds from the beginning. */
async function letOn(comers: readonly (readonly [number, number])[]): Promise<readonly number[]> {
  const clock = createTestClock();
  const distance = createDistance(clock);
  const startedAt = clock.now();
  const moments: number[] = [];
  for (const [index, [dueAt, cameAt]] of comers.entries())
    clock.after(cameAt, () => {
      void distance(dueAt, INTERVAL_MS).then(() => {
        moments[index] = clock.now() - startedAt;
      });
    });
  await clock.advance(100_000);
  return moments;
}

test('who is on time never waits', async () => {
  assert.deepEqual(
    await letOn([
      [100, 100],
      [200, 205],
      [300, 300],
      [900, 930],
    ]),
    [100, 205, 300, 930],
  );
});

test('those who come late all at once go in nine tenths of their distances', async () => {
  const comers = [100, 200, 300, 400].map((dueAt) => [dueAt, 1000] as const);
  assert.deepEqual(await letOn(comers), [1000, 1090, 1180, 1270]);
});

test('where moments are far apart, late ones go a few intervals of the limit apart', async () => {
  const comers = [100, 200, 20_000, 20_100].map((dueAt) => [dueAt, 30_000] as const);
  assert.deepEqual(await letOn(comers), [30_000, 30_090, 30_810, 30_900]);
});

test('who asks again, or stands before the last, does not wait', async () => {
  assert.deepEqual(
    await letOn([
      [500, 1000],
      [900, 1000],
      [500, 1001],
      [400, 1001],
    ]),
    [1000, 1360, 1001, 1001],
  );
});

test('nobody is let on before he comes or waits for longer than five seconds, whoever comes when', async () => {
  const comer = fc.tuple(fc.integer({ min: 0, max: 50_000 }), fc.integer({ min: 0, max: 50_000 }));
  await fc.assert(
    fc.asyncProperty(fc.array(comer, { maxLength: 30 }), async (comers) => {
      for (const [index, at] of (await letOn(comers)).entries()) {
        const cameAt = Math.max(1, comers[index]?.[1] ?? 0);
        assert.ok(at >= cameAt - 1 && at <= cameAt + 5001, `came ${cameAt}, let on ${at}`);
      }
    }),
  );
});
