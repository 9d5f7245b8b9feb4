import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { sleep } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Limit, RateLimiter } from '../../resilience/rate-limiter.ts';
import { mostWithin } from '../../simulator/scenario/peak-window.ts';
import { type PacedPermit, Pacer, type PacerRequest } from './pacer.ts';

const PATIENCE_MS = 1000;

type SimulationOptions = {
  readonly max: number;
  readonly windowMs: number;
  /** Processes that share the limit. */
  readonly pacers?: number;
  /** How late a delayed job returns. */
  readonly latenessMs?: () => number;
  /** How long the limiter takes to answer. */
  readonly answerMs?: () => number;
};

/** Jobs that ask, are delayed until their due time, return and ask again, as on a queue with a delay ladder. */
function simulate({
  max,
  windowMs,
  pacers = 1,
  latenessMs = () => 0,
  answerMs,
}: SimulationOptions) {
  const clock = createTestClock();
  const memory = createMemoryRateLimiter(clock);
  const limit: Limit = { tier: 'dispatcher', subject: 'p', kind: 'requests', max, windowMs };
  const limiter: Pick<RateLimiter, 'take' | 'giveBack'> = {
    giveBack: (ask) => memory.giveBack(ask),
    take: (ask, onDecision) =>
      memory.take(ask, (decision) =>
        answerMs ? void clock.after(answerMs(), () => onDecision(decision)) : onDecision(decision),
      ),
  };
  const all = Array.from({ length: pacers }, () => new Pacer({ limiter, clock, newId }, [limit]));
  const startedAt = clock.now();
  const admitted: {
    readonly job: number;
    readonly at: number;
    readonly dueAt: number | undefined;
  }[] = [];
  const counts = { asks: 0, delays: 0 };
  let stalledUntil = 0;

  async function come(job: number, dueAt?: number, patienceMs = PATIENCE_MS): Promise<void> {
    const stallMs = stalledUntil - clock.now();
    if (stallMs > 0) return void clock.after(stallMs, () => void come(job, dueAt, patienceMs));
    counts.asks += 1;
    const pacer = all[job % pacers];
    assert.ok(pacer);
    const patience = dueAt === undefined ? patienceMs : PATIENCE_MS;
    const answer = await pacer.acquire({ dueAt, patienceMs: patience });
    if (answer.kind === 'allowed') admitted.push({ job, at: clock.now() - startedAt, dueAt });
    if (answer.kind === 'stay')
      clock.after(answer.afterMs, () => void come(job, dueAt ?? clock.now(), patienceMs));
    if (answer.kind !== 'later') return;
    counts.delays += 1;
    const due = clock.now() + answer.afterMs;
    clock.after(answer.afterMs + latenessMs(), () => void come(job, due, patienceMs));
  }

  async function runUntil(count: number, stepMs = 100): Promise<void> {
    for (let steps = 0; admitted.length < count && steps < 100_000; steps += 1)
      await clock.advance(stepMs);
    assert.equal(admitted.length, count, 'all jobs are admitted');
  }

  const [first] = all;
  assert.ok(first);
  return {
    clock,
    pacer: first,
    come,
    runUntil,
    admitted,
    counts,
    /** Returning jobs are delayed until then. */
    stall: (ms: number) => void (stalledUntil = clock.now() + ms),
    times: () => admitted.map(({ at }) => at),
  };
}

function request(fields: Partial<PacerRequest> = {}): PacerRequest {
  return { patienceMs: PATIENCE_MS, ...fields };
}

/** A linear congruential generator: the same lateness in every run. */
function jitter(maxMs: number, seed = 7): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % (maxMs + 1);
  };
}

function assertWithinLimit(times: readonly number[], max: number, windowMs: number): void {
  for (const [index, at] of times.entries()) {
    const next = times[index + max];
    if (next !== undefined) assert.ok(next - at >= windowMs, `more than ${max} from ${at} ms on`);
  }
}

/** An idle limit admits as many jobs as its window allows, and then one job per interval. */
function useOf(times: readonly number[], max: number, windowMs: number): number {
  return ((times.length / max) * windowMs) / (times.at(-1) ?? Number.POSITIVE_INFINITY);
}

test('jobs over the limit get due times one interval apart', async () => {
  const { pacer } = simulate({ max: 2, windowMs: 10_000 });
  const answers = [];
  for (let index = 0; index < 5; index += 1)
    answers.push(await pacer.acquire(request({ patienceMs: 0 })));
  assert.deepEqual(
    answers.map((answer) => (answer.kind === 'later' ? answer.afterMs : answer.kind)),
    ['allowed', 'allowed', 10_000, 15_025, 20_050],
  );
});

test('a job without a due time queues behind scheduled jobs, though a slot is free', async () => {
  const { clock, pacer } = simulate({ max: 2, windowMs: 10_000 });
  for (let index = 0; index < 4; index += 1) await pacer.acquire(request({ patienceMs: 0 }));
  await clock.advance(11_000);
  assert.deepEqual(await pacer.acquire(request()), { kind: 'later', afterMs: 9050 });
  const returned = await pacer.acquire(request({ dueAt: clock.now() - 1000 }));
  assert.equal(returned.kind, 'allowed');
});

test('a job waits in memory if its slot opens within its patience', async () => {
  const { clock, pacer } = simulate({ max: 1, windowMs: 10_000 });
  await pacer.acquire(request());
  await clock.advance(9600);
  const waiting = pacer.acquire(request());
  await clock.advance(0);
  await clock.advance(400);
  assert.equal((await waiting).kind, 'allowed');
});

test('waiting jobs go in the order of their due times, one interval apart', async () => {
  const { clock, pacer } = simulate({ max: 10, windowMs: 1000 });
  const startedAt = clock.now();
  for (let index = 0; index < 10; index += 1) await pacer.acquire(request());
  await clock.advance(990);
  const order: string[] = [];
  for (const [name, dueAt] of [
    ['third', 1003],
    ['first', 1001],
    ['second', 1002],
  ] as const)
    void pacer
      .acquire(request({ dueAt: startedAt + dueAt, patienceMs: 5000 }))
      .then(() => order.push(`${name} ${clock.now() - startedAt}`));
  await clock.advance(0);
  await clock.advance(500);
  assert.deepEqual(order, ['first 1000', 'second 1091', 'third 1181']);
});

test('an aborted signal answers all waiting jobs `stay`', async () => {
  const { clock, pacer } = simulate({ max: 1, windowMs: 1000 });
  await pacer.acquire(request());
  const closing = new AbortController();
  const { signal } = closing;
  const waiting = [1, 2, 3].map(() => pacer.acquire(request({ patienceMs: 5000, signal })));
  await clock.advance(10);
  closing.abort();
  await clock.advance(1);
  const kinds = (await Promise.all(waiting)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['stay', 'stay', 'stay']);
  assert.equal((await pacer.acquire(request({ dueAt: clock.now(), signal }))).kind, 'stay');
});

test('an infinite patience takes no due time and is not queued behind due times', async () => {
  const { clock, pacer } = simulate({ max: 1, windowMs: 10_000 });
  for (let index = 0; index < 5; index += 1) await pacer.acquire(request({ patienceMs: 0 }));
  const waiting = pacer.acquire(request({ patienceMs: Number.POSITIVE_INFINITY }));
  await clock.advance(0);
  await clock.advance(10_100);
  assert.equal((await waiting).kind, 'allowed');
});

test('a job without patience takes a free slot, but not while jobs wait', async () => {
  const { clock, pacer } = simulate({ max: 2, windowMs: 1000 });
  assert.equal((await pacer.acquire({})).kind, 'allowed');
  assert.equal((await pacer.acquire({})).kind, 'allowed');
  assert.deepEqual(await pacer.acquire({}), { kind: 'later', afterMs: 1000 });
  await clock.advance(999);
  const waiting = pacer.acquire(request());
  await clock.advance(0);
  assert.deepEqual(await pacer.acquire({}), { kind: 'later', afterMs: 503 });
  await clock.advance(1);
  assert.equal((await waiting).kind, 'allowed');
});

test('while the counts are unavailable every job is answered `stay`', async () => {
  const limiter: Pick<RateLimiter, 'take' | 'giveBack'> = {
    take: (_ask, onDecision) =>
      onDecision({ isAllowed: false, binding: undefined, standings: [], retryAfterMs: 900 }),
    giveBack() {},
  };
  const clock = createTestClock();
  const pacer = new Pacer({ limiter, clock, newId }, []);
  const paused = { kind: 'stay', afterMs: 900 };
  assert.deepEqual(await pacer.acquire(request()), paused);
  assert.deepEqual(await pacer.acquire(request({ dueAt: clock.now() })), paused);
});

test('a job larger than the whole limit is allowed without a permit', async () => {
  const clock = createTestClock();
  const limiter = createMemoryRateLimiter(clock);
  const limit = {
    tier: 'provider',
    subject: 'p',
    kind: 'tokens',
    max: 10,
    windowMs: 1000,
  } as const;
  const pacer = new Pacer({ limiter, clock, newId }, [limit]);
  assert.deepEqual(await pacer.acquire(request({ tokens: 11 })), { kind: 'allowed' });
});

for (const pacers of [1, 3])
  test(`ten thousand jobs use 97 % of the limit and return no faster than 1.5 × its rate, with ${pacers} processes`, async () => {
    const [max, windowMs, count] = [1000, 60_000, 10_000];
    const simulation = simulate({ max, windowMs, pacers, latenessMs: jitter(200) });
    for (let job = 0; job < count; job += 1) await simulation.come(job, undefined, 0);
    await simulation.runUntil(count, 1000);
    const times = simulation.times();
    const use = useOf(times, max, windowMs);
    assert.ok(use >= 0.97, `${(100 * use).toFixed(1)} % of the limit`);
    assertWithinLimit(times, max, windowMs);
    assert.ok(mostWithin(times.slice(max), 1000) <= (1.5 * max * 1000) / windowMs);
    assert.ok(simulation.counts.delays <= 1.05 * count, `${simulation.counts.delays} delays`);
  });

test('jobs that arrive above the rate, with slow and jittered answers, use 97 % of a short window', async () => {
  const [max, windowMs, count] = [231, 3100, 2310];
  const options = { latenessMs: jitter(120), answerMs: jitter(12, 3), pacers: 2 };
  const simulation = simulate({ max, windowMs, ...options });
  const arrival = jitter(12, 11);
  let at = 0;
  for (let job = 0; job < count; job += 1) {
    simulation.clock.after(at, () => void simulation.come(job, undefined, 0));
    at += arrival();
  }
  await simulation.runUntil(count);
  const times = simulation.times();
  const use = useOf(times, max, windowMs);
  assert.ok(use >= 0.97, `${(100 * use).toFixed(1)} % of the limit`);
});

for (const timerMs of [40, 100])
  test(`jobs use 94 % of the limit although timers fire only every ${timerMs} ms and jobs return out of order`, async () => {
    const [max, windowMs, count] = [231, 3100, 2310];
    const { clock, come, admitted, times } = simulate({ max, windowMs, latenessMs: jitter(60) });
    for (let job = 0; job < count; job += 1) await come(job, undefined, 0);
    for (let steps = 0; admitted.length < count && steps < 2000; steps += 1)
      await clock.jump(timerMs);
    const use = useOf(times(), max, windowMs);
    assert.ok(use >= 0.94, `${(100 * use).toFixed(1)} % of the limit`);
    assert.ok(mostWithin(times().slice(max), 1000) <= (1.5 * max * 1000) / windowMs);
  });

test('a worker with a few slots and jobs that wait in memory uses 97 % of the limit', async () => {
  const [max, windowMs, count, slots] = [10, 1100, 90, 8];
  const { clock, pacer } = simulate({ max, windowMs });
  const startedAt = clock.now();
  const times: number[] = [];
  let next = 0;
  async function runSlot(): Promise<void> {
    while (next < count) {
      next += 1;
      let answer = await pacer.acquire(request({ patienceMs: 500 }));
      while (answer.kind === 'later') {
        const dueAt = clock.now() + answer.afterMs;
        await sleep(clock, answer.afterMs);
        answer = await pacer.acquire(request({ dueAt }));
      }
      times.push(clock.now() - startedAt);
      await sleep(clock, 25);
    }
  }
  for (let slot = 0; slot < slots; slot += 1) void runSlot();
  await clock.advance(0);
  for (let steps = 0; times.length < count && steps < 500; steps += 1) await clock.advance(100);
  assert.equal(times.length, count);
  assertWithinLimit(times, max, windowMs);
  const use = useOf(times, max, windowMs);
  assert.ok(use >= 0.97, `${(100 * use).toFixed(1)} % of the limit`);
});

for (const pacers of [1, 4])
  test(`after a stall of 3 s late jobs start at most at 1.5 × the rate, with ${pacers} processes`, async () => {
    const [max, windowMs, count] = [1250, 10_000, 5000];
    const perSecond = (max * 1000) / windowMs;
    const simulation = simulate({ max, windowMs, pacers, latenessMs: jitter(30) });
    for (let job = 0; job < count; job += 1) await simulation.come(job, undefined, 0);
    await simulation.clock.advance(15_000);
    simulation.stall(3000);
    await simulation.runUntil(count);
    const busiest = mostWithin(simulation.times().slice(max), 1000);
    assert.ok(busiest <= 1.5 * perSecond, `${busiest} in a second, at a rate of ${perSecond}`);
  });

test('calls that a stall delayed keep nine tenths of the distances between their permits', async () => {
  const { clock, pacer } = simulate({ max: 1000, windowMs: 10_000 });
  const { signal } = new AbortController();
  const permits: PacedPermit[] = [];
  for (let index = 0; index < 60; index += 1) {
    const answer = await pacer.acquire(request({ dueAt: clock.now() }));
    assert.ok(answer.kind === 'allowed' && answer.permit);
    permits.push(answer.permit);
    await clock.advance(20);
  }
  await clock.advance(1000);
  const stalledUntil = clock.now();
  const calledAt: number[] = [];
  for (const permit of permits)
    void permit.waitForTurn(signal).then(() => calledAt.push(clock.now() - stalledUntil));
  await clock.advance(5000);
  assert.equal(calledAt.length, 60);
  assert.equal(calledAt.at(-1), 59 * 18);
  assert.ok(mostWithin(calledAt, 200) <= 13);
});

test('a call that other calls have overtaken starts immediately', async () => {
  const { clock, pacer } = simulate({ max: 10, windowMs: 1000 });
  const { signal } = new AbortController();
  const answers = [];
  for (let index = 0; index < 2; index += 1) {
    answers.push(await pacer.acquire(request({ dueAt: clock.now() })));
    await clock.advance(100);
  }
  const calledAt: number[] = [];
  for (const answer of answers.toReversed()) {
    assert.ok(answer.kind === 'allowed' && answer.permit);
    void answer.permit.waitForTurn(signal).then(() => calledAt.push(clock.now()));
  }
  await clock.advance(0);
  assert.equal(calledAt.length, 2);
});

test('calls of jobs that did not wait start immediately', async () => {
  const { clock, pacer } = simulate({ max: 10, windowMs: 10_000 });
  const { signal } = new AbortController();
  const answers = [await pacer.acquire(request()), await pacer.acquire(request())];
  let called = 0;
  for (const answer of answers) {
    assert.ok(answer.kind === 'allowed' && answer.permit);
    void answer.permit.waitForTurn(signal).then(() => (called += 1));
  }
  await clock.advance(0);
  assert.equal(called, 2);
});

test('no window admits more than the limit, and every job is admitted, for any arrival times', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.constantFrom(0, 500, PATIENCE_MS)), {
        minLength: 1,
        maxLength: 120,
      }),
      async (max, pacers, arrivals) => {
        const windowMs = 1000;
        const { clock, come, admitted, times } = simulate({ max, windowMs, pacers });
        for (const [job, [at, patienceMs]] of arrivals.entries())
          clock.after(at, () => void come(job, undefined, patienceMs));
        await clock.advance(4000 + 1.2 * windowMs * (Math.ceil(arrivals.length / max) + 2));
        assert.equal(admitted.length, arrivals.length, 'a job was never admitted');
        assertWithinLimit(times(), max, windowMs);
      },
    ),
    { numRuns: 100 },
  );
});

test('scheduled jobs are admitted in the order of their due times, if they return on time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (max) => {
      const simulation = simulate({ max, windowMs: 2000 });
      for (let job = 0; job < 100; job += 1) await simulation.come(job, undefined, 0);
      await simulation.runUntil(100);
      const jobs = simulation.admitted.map(({ job }) => job);
      assert.deepEqual(
        jobs,
        jobs.toSorted((one, other) => one - other),
      );
    }),
    { numRuns: 15 },
  );
});
