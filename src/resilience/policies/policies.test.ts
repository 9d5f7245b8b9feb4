import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { bulkhead } from './bulkhead.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { compose, type Policy } from './policy.ts';
import { rateLimit } from './rate-limit.ts';
import { readFailure } from './read-failure.ts';
import { retry } from './retry.ts';
import { timeout } from './timeout.ts';

test('a timeout aborts the operation and rejects although the operation ignores its signal', async () => {
  const clock = createTestClock();
  let reason: unknown;
  const result = timeout({ ms: 100, clock })((signal) => {
    signal.addEventListener('abort', () => (reason = signal.reason));
    return new Promise<never>(() => {});
  });
  const rejected = assert.rejects(result, { code: 'NETWORK_TIMEOUT', isTimedOut: true });
  await clock.advance(100);
  await rejected;
  assert.ok(reason instanceof SpillwayError);
});

test('an operation in time leaves no timer and no listener behind', async () => {
  const clock = createTestClock();
  const controller = new AbortController();
  assert.equal(await timeout({ ms: 100, clock })(() => 'done', controller.signal), 'done');
  await clock.advance(0);
  assert.equal(clock.pendingTimers(), 0);
});

test("a timeout passes the reason of the caller's signal on to the operation", async () => {
  const clock = createTestClock();
  const controller = new AbortController();
  const seen: unknown[] = [];
  const result = timeout({ ms: 100, clock })((signal) => {
    signal.addEventListener('abort', () => seen.push(signal.reason));
    return new Promise<never>(() => {});
  }, controller.signal);
  controller.abort('left');
  await assert.rejects(result, (thrown) => thrown === 'left');
  assert.deepEqual(seen, ['left']);
  await assert.rejects(timeout({ ms: 1, clock })(() => 1, controller.signal));
});

test('a bulkhead never runs more than its bound, serves in order of arrival and refuses the rest', async () => {
  const bounds = fc.record({
    concurrent: fc.integer({ min: 1, max: 4 }),
    queued: fc.nat({ max: 6 }),
    calls: fc.nat({ max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(bounds, async ({ concurrent, queued, calls }) => {
      const policy = bulkhead({ concurrent, queued });
      const started: number[] = [];
      let running = 0;
      const run = async (call: number): Promise<void> => {
        started.push(call);
        running += 1;
        assert.ok(running <= concurrent);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      };
      const outcomes = await Promise.allSettled(
        Array.from({ length: calls }, (_, call) => policy(() => run(call))),
      );
      const admitted = Math.min(calls, concurrent + queued);
      assert.deepEqual(
        started,
        [...started].sort((a, b) => a - b),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, admitted);
      assert.deepEqual(policy.load(), { running: 0, queued: 0 });
    }),
  );
});

test('a queued operation leaves the queue when its caller leaves', async () => {
  const policy = bulkhead({ concurrent: 1, queued: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = policy(() => promise);
  const controller = new AbortController();
  const second = policy(() => 'second', controller.signal);
  assert.deepEqual(policy.load(), { running: 1, queued: 1 });
  controller.abort('left');
  await assert.rejects(second, (thrown) => thrown === 'left');
  const third = policy(() => 'third');
  resolve();
  await first;
  assert.equal(await third, 'third');
});

test('a rate limit delays operations up to their patience and refuses other operations with the exact delay', async () => {
  const clock = createTestClock();
  const limiter = createMemoryRateLimiter(clock);
  const limits = [
    { tier: 'provider', subject: 'search', kind: 'requests', max: 1, windowMs: 1000 },
  ] as const;
  const paced = rateLimit({ limiter, limits, clock, maxWaitMs: 1000 });
  assert.equal(await paced(() => 1), 1);
  const second = paced(() => 2);
  await clock.advance(0);
  await assert.rejects(
    rateLimit({ limiter, limits, clock })(() => 3),
    {
      code: 'RATE_LIMITED',
      retryAfterMs: 1000,
    },
  );
  await clock.advance(1000);
  assert.equal(await second, 2);
});

test('a rate limit of tokens counts the tokens that the result has used', async () => {
  const clock = createTestClock();
  const limiter = createMemoryRateLimiter(clock);
  const limits = [
    { tier: 'provider', subject: 'model', kind: 'tokens', max: 100, windowMs: 1000 },
  ] as const;
  const paced = rateLimit({ limiter, limits, clock, tokens: 60, tokensOf: Number });
  assert.equal(await paced(() => 10), 10);
  assert.equal(await paced(() => 10), 10);
  await assert.rejects(
    rateLimit({ limiter, limits, clock, tokens: 101 })(() => 1),
    {
      code: 'REQUEST_TOO_LARGE',
    },
  );
});

test('the first composed policy is the outermost', async () => {
  const order: string[] = [];
  const named =
    (name: string): Policy =>
    (operation, signal) => {
      order.push(name);
      return Promise.resolve(operation(signal ?? new AbortController().signal));
    };
  await compose(named('outer'), named('inner'))(() => order.push('operation'));
  assert.deepEqual(order, ['outer', 'inner', 'operation']);
});

test('composed, each retry has a timeout of its own and passes the breaker', async () => {
  const clock = createTestClock();
  let calls = 0;
  const guarded = compose(
    retry({ clock, timeoutRetries: 5, baseMs: 10 }),
    circuitBreaker({ clock, failures: 3 }),
    bulkhead({ concurrent: 1 }),
    timeout({ clock, ms: 100 }),
  );
  const result = guarded(() => {
    calls += 1;
    return new Promise<never>(() => {});
  });
  const rejected = assert.rejects(result, { code: 'PROVIDER_UNAVAILABLE' });
  await clock.advance(0);
  await clock.advance(60_000);
  await rejected;
  assert.equal(calls, 3);
});

test('an already aborted signal ends every policy before the operation runs', async () => {
  const limits = [] as const;
  const limiter = createMemoryRateLimiter(createTestClock());
  const policies: Policy[] = [
    retry(),
    circuitBreaker(),
    bulkhead({ concurrent: 1 }),
    timeout({ ms: 1 }),
    rateLimit({ limiter, limits }),
    compose(),
  ];
  for (const policy of policies)
    await assert.rejects(
      policy(() => assert.fail('the operation ran'), AbortSignal.abort('left')),
      (thrown) => thrown === 'left',
    );
});

test('an error object of an answer of Spillway is read by its own fields', () => {
  const read = readFailure({ code: 'CAPACITY_EXHAUSTED', retryable: true, retryAfterMs: 700 });
  assert.equal(read.code, 'CAPACITY_EXHAUSTED');
  assert.equal(read.retryAfterMs, 700);
  assert.equal(readFailure(undefined).code, 'INTERNAL');
});
