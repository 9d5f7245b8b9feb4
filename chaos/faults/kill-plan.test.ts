import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { planKills } from './kill-plan.ts';
import { createSeededRandom } from './seeded-random.ts';

const VICTIMS = ['gateway', 'dispatcher', 'worker', 'broker'];

test('the same seed plans the same kills', () => {
  const plan = (seed: number) => planKills(createSeededRandom(seed), VICTIMS, 20);
  assert.deepEqual(plan(7), plan(7));
  assert.notDeepEqual(plan(7), plan(8));
});

test('kills are ordered within the load, and every process is killed once before any is killed twice', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 50 }), (seed, count) => {
      const plan = planKills(createSeededRandom(seed), VICTIMS, count);
      const parts = plan.map(({ atPart }) => atPart);
      assert.equal(plan.length, count);
      assert.deepEqual(
        parts,
        parts.toSorted((a, b) => a - b),
      );
      assert.ok(parts.every((part) => part > 0 && part < 1));
      const times = VICTIMS.map((name) => plan.filter(({ victim }) => victim === name).length);
      assert.ok(Math.max(...times) - Math.min(...times) <= 1);
    }),
  );
});

test('a plan without victims is a mistake', () => {
  assert.throws(() => planKills(createSeededRandom(1), [], 1), /No process to kill/);
});
