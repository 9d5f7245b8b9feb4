import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryBreakerBoard } from '../../adapters/memory/breaker-board.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { BREAKER_DEFAULTS } from '../circuit-breaker.ts';
import { circuitBreaker } from './circuit-breaker.ts';

const broken = () =>
  new SpillwayError('PROVIDER_UNAVAILABLE', 'broken', { params: { reason: 'error' } });
const fail = async (): Promise<never> => {
  throw broken();
};
const succeed = async (): Promise<string> => 'fine';

async function failTimes(policy: ReturnType<typeof circuitBreaker>, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await assert.rejects(policy(fail));
}

test('enough failures open the circuit, and successful probes close it', async () => {
  const clock = createTestClock();
  const seen: string[] = [];
  const breaker = circuitBreaker({
    clock,
    failures: 3,
    openMs: 1000,
    successesToClose: 2,
    onTransition: ({ from, to }) => seen.push(`${from} → ${to}`),
  });
  await failTimes(breaker, 3);
  assert.equal(await breaker.state(), 'open');
  await assert.rejects(breaker(succeed), {
    code: 'PROVIDER_UNAVAILABLE',
    params: { reason: 'circuit_open', retryAfterMs: 1000 },
    retryable: true,
  });
  await clock.advance(1000);
  assert.equal(await breaker(succeed), 'fine');
  assert.equal(await breaker(succeed), 'fine');
  assert.equal(await breaker.state(), 'closed');
  assert.deepEqual(seen, ['closed → open', 'open → half_open', 'half_open → closed']);
});

test('while a probe runs, other calls are refused', async () => {
  const clock = createTestClock();
  const breaker = circuitBreaker({ clock, failures: 1, openMs: 1000 });
  await failTimes(breaker, 1);
  await clock.advance(1000);
  const { promise, resolve } = Promise.withResolvers<string>();
  const probe = breaker(() => promise);
  await assert.rejects(breaker(succeed), {
    params: { reason: 'circuit_open', retryAfterMs: 1000 },
  });
  resolve('fine');
  assert.equal(await probe, 'fine');
});

test("a caller's mistake and an aborted call do not count", async () => {
  const clock = createTestClock();
  const breaker = circuitBreaker({ clock, failures: 1 });
  const invalid = async (): Promise<never> => {
    throw new SpillwayError('INVALID_REQUEST', 'a field is missing');
  };
  await assert.rejects(breaker(invalid), { code: 'INVALID_REQUEST' });
  const controller = new AbortController();
  await assert.rejects(
    breaker(async () => {
      controller.abort();
      throw broken();
    }, controller.signal),
  );
  assert.equal(await breaker.state(), 'closed');
});

test('an announced limit opens the circuit until its reset', async () => {
  const clock = createTestClock();
  const breaker = circuitBreaker({ clock });
  const resetAt = clock.now() + 60_000;
  await assert.rejects(
    breaker(async () => {
      throw new SpillwayError('AI_LIMIT_REACHED', 'the plan is used up', { resetAt });
    }),
  );
  await assert.rejects(breaker(succeed), { code: 'AI_LIMIT_REACHED', resetAt });
  await clock.advance(60_000);
  assert.equal(await breaker(succeed), 'fine');
  assert.equal(await breaker.state(), 'closed');
});

test('breakers on one board share a circuit', async () => {
  const clock = createTestClock();
  const board = createMemoryBreakerBoard({
    rules: BREAKER_DEFAULTS,
    clock,
    newProbeId: () => 'probe',
    longestCallMs: 1000,
    onTransition: () => {},
  });
  const key = { provider: 'search', region: 'eu' };
  const [one, other] = [
    circuitBreaker({ board, key, clock }),
    circuitBreaker({ board, key, clock }),
  ];
  await failTimes(one, 5);
  await assert.rejects(other(succeed), {
    params: { reason: 'circuit_open', retryAfterMs: 60_000 },
  });
  assert.equal(await other.state(), 'open');
  await other.reset();
  assert.equal(await one(succeed), 'fine');
});

test('a wrong option is refused when the policy is made', () => {
  assert.throws(() => circuitBreaker({ failures: 0 }), RangeError);
});
