import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ERROR_CODES, type ErrorCode, type ErrorParams } from '../../errors/codes.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { RETRY_DEFAULTS } from '../../resilience/retry-policy.ts';
import type { Target } from '../../routing/target.ts';
import { CallRounds } from './call-rounds.ts';

const NOW = 1_800_000_000_000;
const MOMENT = { now: NOW, deadlineAt: NOW + 600_000, random: 0.5 };

function target(model: string): Target {
  return {
    provider: model,
    model,
    format: 'openai',
    origin: 'http://127.0.0.1',
    basePath: '',
    apiKey: 'key',
    account: 'default',
    region: 'us-east',
  };
}

const [small, other, large] = [target('small'), target('other'), target('large')];

function rounds(...targets: Target[]): CallRounds {
  return new CallRounds(targets, (model) => (model === 'large' ? 1_000_000 : 1000));
}

function failure(
  code: ErrorCode,
  more: {
    readonly params?: ErrorParams;
    readonly retryAfterMs?: number;
    readonly resetAt?: number;
  } = {},
): SpillwayError {
  return new SpillwayError(code, 'failed', more);
}

const UNAVAILABLE = () => failure('PROVIDER_UNAVAILABLE', { params: { reason: 'error' } });
const fullFor = (retryAfterMs: number) =>
  failure('RATE_LIMITED', { params: { scope: 'system', retryAfterMs }, retryAfterMs });
const limitedFor = (ms: number) => failure('AI_LIMIT_REACHED', { resetAt: NOW + ms });

test('a target stays current until it is skipped or has failed', () => {
  const call = rounds(small, other);
  assert.deepEqual([call.current(), call.current()], [small, small]);
  call.skip(fullFor(10));
  assert.equal(call.current(), other);
  call.failed(UNAVAILABLE(), other);
  assert.equal(call.current(), undefined);
});

test('a new round omits targets with a failure that no retry can fix', () => {
  const call = rounds(small, other);
  call.failed(failure('AUTH_FAILED'), small);
  call.failed(UNAVAILABLE(), other);
  const end = call.end(RETRY_DEFAULTS, MOMENT);
  assert.ok(end.kind === 'wait' && end.retry);
  call.again(end);
  assert.equal(call.current(), other);
  assert.equal(call.waitedMs, end.waitMs);
});

test('a retryable failure is retried although a later one is not retryable', () => {
  const call = rounds(small, other);
  call.failed(UNAVAILABLE(), small);
  call.failed(failure('AUTH_FAILED'), other);
  assert.equal(call.end(RETRY_DEFAULTS, MOMENT).kind, 'wait');
});

test("a fault of the request ends the call, regardless of the other targets' refusals", () => {
  const call = rounds(small, other, large);
  call.skip(fullFor(10));
  call.failed(failure('INVALID_REQUEST'), other);
  assert.equal(call.current(), undefined);
  const end = call.end(RETRY_DEFAULTS, MOMENT);
  assert.deepEqual([end.kind, end.error.code], ['give_up', 'INVALID_REQUEST']);
});

test('a request that is too long goes only to larger models, in every round', () => {
  const call = rounds(small, other, large);
  call.failed(failure('CONTEXT_TOO_LONG'), small);
  assert.equal(call.current(), large);
  call.failed(UNAVAILABLE(), large);
  const end = call.end(RETRY_DEFAULTS, MOMENT);
  assert.ok(end.kind === 'wait');
  call.again(end);
  assert.equal(call.current(), large);
});

test('the call does not wait for the limit of a model that is too small', () => {
  const call = rounds(small, other);
  call.skip(fullFor(10));
  call.failed(failure('CONTEXT_TOO_LONG'), other);
  const end = call.end(RETRY_DEFAULTS, MOMENT);
  assert.deepEqual([end.kind, end.error.code], ['give_up', 'CONTEXT_TOO_LONG']);
});

test('a failure of a model that is too small is not retried', () => {
  const call = rounds(small, other);
  call.failed(UNAVAILABLE(), small);
  call.failed(failure('CONTEXT_TOO_LONG'), other);
  const end = call.end(RETRY_DEFAULTS, MOMENT);
  assert.deepEqual([end.kind, end.error.code], ['give_up', 'CONTEXT_TOO_LONG']);
});

test('a wait for a limit stays within the interactive bound and is not a retry', () => {
  const call = rounds(small);
  call.skip(fullFor(4000));
  for (const patient of [true, true, false]) {
    const end = call.end(RETRY_DEFAULTS, MOMENT);
    assert.equal(end.kind, patient ? 'wait' : 'give_up');
    if (end.kind !== 'wait') return;
    assert.deepEqual([end.waitMs, end.retry], [4000, undefined]);
    call.again(end);
    call.skip(fullFor(4000));
  }
});

test('a wait for a limit does not pass the deadline', () => {
  const call = rounds(small);
  call.skip(fullFor(4000));
  assert.equal(call.end(RETRY_DEFAULTS, { ...MOMENT, deadlineAt: NOW + 3000 }).kind, 'give_up');
});

test('the limit that ends first is reported, met or known', () => {
  for (const [met, known] of [
    [600_000, 3_600_000],
    [3_600_000, 600_000],
  ] as const) {
    const call = rounds(small, other);
    call.skip(limitedFor(known));
    call.failed(limitedFor(met), other);
    const end = call.end(RETRY_DEFAULTS, MOMENT);
    assert.deepEqual([end.kind, end.error.resetAt], ['give_up', NOW + 600_000]);
  }
});

test('a delay and a reset time are compared by their end', () => {
  const call = rounds(small, other);
  call.failed(failure('AI_LIMIT_REACHED', { retryAfterMs: 3_600_000 }), small);
  call.skip(limitedFor(600_000));
  assert.equal(call.end(RETRY_DEFAULTS, MOMENT).error.resetAt, NOW + 600_000);
});

test('a limit is reported rather than a refused provider credential', () => {
  const call = rounds(small, other);
  call.failed(failure('AUTH_FAILED'), small);
  call.skip(limitedFor(600_000));
  assert.equal(call.end(RETRY_DEFAULTS, MOMENT).error.code, 'AI_LIMIT_REACHED');
});

test('any sequence of outcomes ends every round with an error, and ends the rounds', () => {
  const codes = fc.constantFrom(...ERROR_CODES);
  const step = fc.record({ isCalled: fc.boolean(), code: codes, waitMs: fc.nat(20_000) });
  const targets = fc.array(fc.constantFrom(small, other, large), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(targets, fc.infiniteStream(step), (chain, steps) => {
      const call = rounds(...chain.map((each) => ({ ...each })));
      for (let round = 0; round < 100_000; round += 1) {
        for (let at = call.current(); at; at = call.current()) {
          const { isCalled, code, waitMs } = steps.next().value ?? { code: 'INTERNAL', waitMs: 0 };
          const error = failure(code, { retryAfterMs: waitMs });
          if (isCalled) call.failed(error, at);
          else call.skip(error);
        }
        const end = call.end(RETRY_DEFAULTS, MOMENT);
        if (end.kind === 'give_up') return;
        assert.ok(call.waitedMs + end.waitMs <= RETRY_DEFAULTS.maxInteractiveWaitMs);
        call.again(end);
      }
      assert.fail('it never ended');
    }),
    { numRuns: 1000 },
  );
});
