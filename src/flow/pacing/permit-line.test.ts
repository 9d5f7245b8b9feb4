import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mostWithin } from '../../../test/support/jobs/tier-rig.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import type { Limit, RateLimiter } from '../../resilience/rate-limiter.ts';
import { createPermitLine, type LineQuestion } from './permit-line.ts';

function rig(max: number, windowMs: number) {
  const clock = createTestClock();
  const limiter = createMemoryRateLimiter(clock);
  const askInLine = createPermitLine({ limiter, clock });
  const limit: Limit = { tier: 'dispatcher', subject: 'p', kind: 'requests', max, windowMs };
  let asked = 0;
  const ask = (as: LineQuestion['as'], more: Partial<LineQuestion> = {}) => {
    asked += 1;
    return askInLine({ id: `ask-${asked}`, limits: [limit], as, ...more });
  };
  return { clock, ask };
}

test('those over the limit are given moments one interval apart', async () => {
  const { ask } = rig(2, 1000);
  const answers = [];
  for (let index = 0; index < 5; index += 1) answers.push(await ask('newcomer'));
  const waits = answers.map((answer) => (answer.kind === 'later' ? answer.afterMs : answer.kind));
  assert.deepEqual(waits, ['allowed', 'allowed', 1000, 1505, 2010]);
});

test('nobody overtakes: a newcomer goes behind those who wait, though there is room', async () => {
  const { clock, ask } = rig(2, 1000);
  for (let index = 0; index < 4; index += 1) await ask('newcomer');
  await clock.advance(1100);
  const late = await ask('newcomer');
  assert.deepEqual(late, { kind: 'later', afterMs: 910 });
  assert.equal((await ask('returning')).kind, 'allowed');
});

test('who comes back a little early stands there for that little, and newcomers go behind', async () => {
  const { clock, ask } = rig(1, 1000);
  await ask('newcomer');
  await clock.advance(990);
  const early = ask('returning');
  await clock.advance(0);
  const newcomer = await ask('newcomer');
  assert.equal(newcomer.kind, 'later');
  await clock.advance(10);
  assert.equal((await early).kind, 'allowed');
});

test('a newcomer that rather stays waits for a moment, and goes away when it would be longer', async () => {
  const { clock, ask } = rig(1, 1000);
  await ask('newcomer');
  assert.deepEqual(await ask('newcomer', { stays: true }), { kind: 'later', afterMs: 1000 });
  await clock.advance(1000);
  await ask('returning');
  await clock.advance(600);
  const near = ask('newcomer', { stays: true });
  await clock.advance(0);
  await clock.advance(400);
  assert.equal((await near).kind, 'allowed');
});

test('who comes back and would have to wait long is given a new moment behind the others', async () => {
  const { ask } = rig(1, 10_000);
  await ask('newcomer');
  assert.deepEqual(await ask('newcomer'), { kind: 'later', afterMs: 10_000 });
  assert.deepEqual(await ask('returning'), { kind: 'later', afterMs: 20_100 });
});

test('a line that nobody stands in is forgotten', async () => {
  const { clock, ask } = rig(10, 1000);
  for (let index = 0; index < 200; index += 1) await ask('newcomer');
  await clock.advance(5000);
  assert.equal((await ask('newcomer')).kind, 'later');
  await clock.advance(4000);
  assert.equal((await ask('newcomer')).kind, 'allowed');
});

test('those who come late all at once go on faster than they were to come, and not as a herd', async () => {
  const [max, windowMs, intervalMs] = [100, 10_000, 100];
  const { clock, ask } = rig(max, windowMs);
  for (let index = 0; index < max; index += 1) await ask('newcomer');
  const dueAt: number[] = [];
  for (let index = 0; index < 30; index += 1) {
    const answer = await ask('newcomer');
    if (answer.kind === 'later') dueAt.push(clock.now() + answer.afterMs);
  }
  assert.equal(dueAt.length, 30);
  await clock.advance(windowMs + 3000);
  const stoodUntil = clock.now();
  const letOnAt: number[] = [];
  async function comeBack(at: number): Promise<void> {
    const answer = await ask('returning', { dueAt: at });
    if (answer.kind === 'stay') return void clock.after(answer.afterMs, () => void comeBack(at));
    assert.equal(answer.kind, 'allowed');
    letOnAt.push(clock.now());
  }
  for (const at of dueAt) void comeBack(at);
  for (let ms = 0; ms < 4000; ms += 10) await clock.advance(10);
  assert.equal(letOnAt.length, 30);
  assert.ok(mostWithin(letOnAt.map(asCall), 1000) <= 1.5 * (1000 / intervalMs));
  assert.ok((letOnAt.at(-1) ?? 0) - stoodUntil <= 30 * intervalMs);
});

test('while the counts are away work is paused', async () => {
  const limiter: Pick<RateLimiter, 'take' | 'giveBack'> = {
    take: (_ask, onDecision) =>
      onDecision({ isAllowed: false, binding: undefined, standings: [], retryAfterMs: 900 }),
    giveBack() {},
  };
  const askInLine = createPermitLine({ limiter, clock: createTestClock() });
  const paused = { kind: 'stay', afterMs: 900 };
  assert.deepEqual(await askInLine({ id: 'a', limits: [], as: 'newcomer' }), paused);
  assert.deepEqual(await askInLine({ id: 'b', limits: [], as: 'returning' }), paused);
});

test('ten thousand who wait are served at the rate of the limit, and come back no faster', async () => {
  const [max, windowMs, count] = [1000, 60_000, 10_000];
  const { clock, ask } = rig(max, windowMs);
  const admittedAt: number[] = [];
  const cameBackAt: number[] = [];
  let seed = 7;
  /** A message comes back up to so much late, as on a ladder of delays. */
  function latenessMs(): number {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % 200;
  }
  async function come(as: LineQuestion['as']): Promise<void> {
    const answer = await ask(as);
    if (answer.kind === 'allowed') admittedAt.push(clock.now());
    if (answer.kind === 'stay') clock.after(answer.afterMs, () => void come('returning'));
    if (answer.kind !== 'later') return;
    clock.after(answer.afterMs + latenessMs(), () => {
      cameBackAt.push(clock.now());
      void come('returning');
    });
  }
  const startedAt = clock.now();
  for (let index = 0; index < count; index += 1) await come('newcomer');
  while (admittedAt.length < count) await clock.advance(1000);
  const tookMs = (admittedAt.at(-1) ?? 0) - startedAt;
  const bestMs = (count / max) * windowMs;
  assert.ok(bestMs / tookMs >= 0.95, `${Math.round((100 * bestMs) / tookMs)} % of the limit`);
  const perSecond = (max / windowMs) * 1000;
  assert.ok(mostWithin(cameBackAt.map(asCall), 1000) <= 1.5 * perSecond);
  assert.ok(mostWithin(admittedAt.map(asCall), windowMs) <= max);
  assert.ok(cameBackAt.length <= 1.1 * count, `${cameBackAt.length} returns`);
});

function asCall(at: number): { readonly at: number } {
  return { at };
}

test('whatever comes when, no window admits more than the limit and all who wait are served at its rate', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 120 }),
      async (max, arrivals) => {
        const windowMs = 1000;
        const { clock, ask } = rig(max, windowMs);
        const startedAt = clock.now();
        const admittedAt: number[] = [];
        async function come(as: LineQuestion['as']): Promise<void> {
          const answer = await ask(as);
          if (answer.kind === 'allowed') admittedAt.push(clock.now());
          if (answer.kind === 'later' || answer.kind === 'stay')
            clock.after(answer.afterMs, () => void come('returning'));
        }
        for (const at of arrivals) clock.after(at, () => void come('newcomer'));
        const enoughMs = 3000 + windowMs * (Math.ceil(arrivals.length / max) + 2);
        await clock.advance(enoughMs);
        assert.equal(admittedAt.length, arrivals.length, 'somebody waits for ever');
        for (const [index, at] of admittedAt.entries()) {
          const next = admittedAt[index + max];
          if (next !== undefined) assert.ok(next - at >= windowMs, `${at - startedAt}`);
        }
      },
    ),
    { numRuns: 100 },
  );
});
