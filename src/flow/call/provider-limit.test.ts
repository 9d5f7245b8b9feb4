import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryProviderLimits } from '../../adapters/memory/provider-limits.ts';
import type { HeadroomGauges } from '../../admission/headroom-headers.ts';
import type { ProviderLimit } from '../../admission/provider-limits.ts';
import { type Lesson, UNREADABLE_ANSWER } from '../../errors/mapping/lesson/lesson.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Target } from '../../routing/target.ts';
import { learnLimit, takesTheRest } from './provider-limit.ts';

const TARGET: Target = {
  provider: 'anthropic',
  account: 'default',
  region: 'us-east',
  format: 'anthropic',
  model: 'm',
  origin: 'http://p',
  basePath: '',
  apiKey: 'k',
};
const clock = createTestClock();
const NOW = clock.now();

async function learnt(
  code: 'AI_LIMIT_REACHED' | 'RATE_LIMITED',
  stated: Partial<Lesson>,
  target = TARGET,
  gauges?: HeadroomGauges,
): Promise<ProviderLimit | undefined> {
  const limits = createMemoryProviderLimits(clock);
  const lesson: Lesson = { ...UNREADABLE_ANSWER, health: 'neutral', code, ...stated };
  const error = new SpillwayError(code, 'refused', { lesson });
  learnLimit(
    limits,
    target,
    error,
    {
      serverId: 'srv-1',
      requestId: 'req_1',
      isCountedApart: false,
      takesTheRest: () => takesTheRest(gauges, () => 5000),
    },
    NOW,
  );
  return (await limits.list())[0];
}

test('a limit ends at the reset time or after the delay that the provider stated', async () => {
  assert.deepEqual(await learnt('AI_LIMIT_REACHED', { resetAt: NOW + 60_000 }), {
    provider: 'anthropic',
    region: 'us-east',
    resetAt: NOW + 60_000,
    setBy: 'srv-1',
    setAt: NOW,
    kind: 'learnt',
    requestId: 'req_1',
  });
  const delayed = await learnt('AI_LIMIT_REACHED', { retryAfterMs: 1234 });
  assert.equal(delayed?.resetAt, NOW + 1234);
});

test('a limit without a stated end lasts five minutes', async () => {
  assert.equal((await learnt('AI_LIMIT_REACHED', {}))?.resetAt, NOW + 300_000);
});

test('a limit of one model and a limit of a further account keep their own scopes', async () => {
  const limit = { resetAt: NOW + 60_000 };
  assert.equal((await learnt('AI_LIMIT_REACHED', { ...limit, isModelBound: true }))?.model, 'm');
  const second = { ...TARGET, account: 'second' };
  assert.equal((await learnt('AI_LIMIT_REACHED', limit, second))?.account, 'second');
});

test('with both stated, a throttle ends after the delay and a limit at the reset time', async () => {
  const both = { retryAfterMs: 1000, resetAt: NOW + 60_000 };
  assert.equal((await learnt('RATE_LIMITED', both))?.resetAt, NOW + 1000);
  assert.equal((await learnt('RATE_LIMITED', { resetAt: NOW + 60_000 }))?.resetAt, NOW + 60_000);
  assert.equal((await learnt('AI_LIMIT_REACHED', both))?.resetAt, NOW + 60_000);
});

test('a throttle is kept for its model if its end is known, and dropped otherwise', async () => {
  const throttled = await learnt('RATE_LIMITED', { retryAfterMs: 5000 });
  assert.deepEqual([throttled?.kind, throttled?.model], ['throttled', 'm']);
  assert.equal(await learnt('RATE_LIMITED', {}), undefined);
});

test('a usage limit lasts at most 32 days and a throttle at most an hour', async () => {
  const in2099 = { resetAt: 4_070_908_800_000 };
  assert.equal((await learnt('AI_LIMIT_REACHED', in2099))?.resetAt, NOW + 32 * 86_400_000);
  assert.equal((await learnt('RATE_LIMITED', in2099))?.resetAt, NOW + 3_600_000);
});

test('a failure without a lesson teaches no limit, regardless of the answer to the caller', async () => {
  const limits = createMemoryProviderLimits(clock);
  const error = new SpillwayError('AI_LIMIT_REACHED', 'refused', { resetAt: NOW + 60_000 });
  learnLimit(
    limits,
    TARGET,
    error,
    { serverId: 'srv-1', requestId: 'req_1', isCountedApart: false, takesTheRest: () => false },
    NOW,
  );
  assert.deepEqual(await limits.list(), []);
});

test('a call that the provider counts apart teaches used-up credit only', async () => {
  for (const [isCredit, count] of [
    [false, 0],
    [true, 1],
  ] as const) {
    const limits = createMemoryProviderLimits(clock);
    const lesson: Lesson = { ...UNREADABLE_ANSWER, code: 'AI_LIMIT_REACHED', isCredit };
    const error = new SpillwayError('AI_LIMIT_REACHED', 'refused', { lesson });
    const teacher = {
      serverId: 'srv-1',
      requestId: 'req_1',
      isCountedApart: true,
      takesTheRest: () => false,
    };
    learnLimit(limits, TARGET, error, teacher, NOW);
    assert.equal((await limits.list()).length, count);
  }
});

test('a throttle without numbers is learnt unless the request takes most of the remainder of the latest answers', async () => {
  const left = (remaining: number, limit = 10_000) => ({ remaining, limit, resetAt: undefined });
  const few = left(1, 100);
  for (const [gauges, isLearnt] of [
    [undefined, true],
    [{}, true],
    [{ tokens: left(9000) }, false],
    [{ inputTokens: left(9000), outputTokens: left(11_000, 20_000) }, false],
    [{ tokens: left(900) }, true],
    [{ tokens: left(9000), requests: few }, true],
    [{ requests: left(99, 100) }, true],
    [{ tokens: left(50_000, 60_000) }, true],
  ] as const) {
    const stated = { retryAfterMs: 5000, isUnnumbered: true };
    const throttled = await learnt('RATE_LIMITED', stated, TARGET, gauges);
    assert.equal(throttled !== undefined, isLearnt, JSON.stringify(gauges));
    const numbered = { retryAfterMs: 5000 };
    assert.ok(await learnt('RATE_LIMITED', numbered, TARGET, gauges), 'a throttle with numbers');
  }
});
