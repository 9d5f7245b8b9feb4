// The rules of retries, one by one, and the bounds that take precedence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { ErrorCode, ErrorParams } from '../errors/codes.ts';
import { ERROR_CODES } from '../errors/codes.ts';
import { SpillwayError, type SpillwayErrorOptions } from '../errors/spillway-error.ts';
import {
  afterRetry,
  decideRetry,
  NOTHING_REPEATED,
  RETRY_DEFAULTS,
  type RepeatableFailure,
  type RetryBounds,
  type RetryContext,
  type RetryHistory,
} from './retry-policy.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const PATIENT = { ...RETRY_DEFAULTS, maxInteractiveWaitMs: 1_000_000_000 };
const MOMENT = { now: NOW, deadlineAt: NOW + 1_000_000_000, random: 0.5 };

const FAILURES: Readonly<Record<RepeatableFailure, readonly [ErrorCode, ErrorParams]>> = {
  throttled: ['RATE_LIMITED', { scope: 'provider' }],
  overloaded: ['PROVIDER_UNAVAILABLE', { reason: 'overloaded' }],
  error: ['PROVIDER_UNAVAILABLE', { reason: 'error' }],
  network: ['NETWORK_TIMEOUT', { phase: 'connect' }],
  timeout: ['NETWORK_TIMEOUT', { phase: 'idle' }],
};
const anyFailure = fc.constantFrom<RepeatableFailure>(
  'throttled',
  'overloaded',
  'error',
  'network',
  'timeout',
);

function failed(kind: RepeatableFailure, options: SpillwayErrorOptions = {}): SpillwayError {
  const [code, params] = FAILURES[kind];
  return new SpillwayError(code, 'failed', { params, isTimedOut: kind === 'timeout', ...options });
}

function refused(code: ErrorCode, options: SpillwayErrorOptions = {}): SpillwayError {
  return new SpillwayError(code, 'refused', options);
}

/** The delays of a request that fails this way until it gives up. */
function waitsUntilGivenUp(
  error: SpillwayError,
  rules = PATIENT,
  moment: RetryContext = MOMENT,
): number[] {
  const waits: number[] = [];
  let history: RetryHistory = NOTHING_REPEATED;
  for (;;) {
    const decision = decideRetry(rules, error, history, moment);
    if (decision.kind === 'give_up') return waits;
    waits.push(decision.waitMs);
    history = afterRetry(history, decision);
  }
}

test('a throttle is retried five times; an overload, an error and a network failure three times', () => {
  assert.deepEqual(waitsUntilGivenUp(failed('throttled')), [1000, 2000, 4000, 8000, 16_000]);
  assert.deepEqual(waitsUntilGivenUp(failed('overloaded')), [2000, 4000, 8000]);
  assert.deepEqual(waitsUntilGivenUp(failed('error')), [1000, 2000, 4000]);
  assert.deepEqual(waitsUntilGivenUp(failed('network')), [1000, 2000, 4000]);
});

test('the bounds of a caller shorten the delays, their sum and the number of retries', () => {
  const waits = (bounds: RetryBounds) =>
    waitsUntilGivenUp(failed('overloaded'), PATIENT, { ...MOMENT, ...bounds });
  assert.deepEqual(waits({ maxBaseMs: 1000 }), [1000, 2000, 4000]);
  assert.deepEqual(waits({ maxRetries: 2, maxBaseMs: 1000 }), [1000, 2000]);
  assert.deepEqual(waits({ maxWaitMs: 6000 }), [2000, 4000]);
  assert.deepEqual(waits({ maxWaitMs: 5999 }), [2000]);
});

test('a timeout of a call that was sent is retried only if configured', () => {
  assert.deepEqual(waitsUntilGivenUp(failed('timeout')), []);
  const rules = { ...PATIENT, timeoutRetries: 2 };
  assert.deepEqual(waitsUntilGivenUp(failed('timeout'), rules), [1000, 2000]);
});

test('a decision states the number of the retry and the maximum', () => {
  const history = { ...NOTHING_REPEATED, repeats: { ...NOTHING_REPEATED.repeats, throttled: 2 } };
  const decision = decideRetry(PATIENT, failed('throttled'), history, MOMENT);
  assert.deepEqual(decision, {
    kind: 'retry',
    waitMs: 4000,
    failure: 'throttled',
    number: 3,
    most: 5,
  });
});

test('no other failure is retried', () => {
  const repeatable = new Set<ErrorCode>([
    'RATE_LIMITED',
    'PROVIDER_UNAVAILABLE',
    'NETWORK_TIMEOUT',
  ]);
  for (const code of ERROR_CODES.filter((each) => !repeatable.has(each)))
    assert.deepEqual(waitsUntilGivenUp(refused(code)), []);
});

test('an error that is not retryable is not retried, whatever its code', () => {
  const never = [
    failed('throttled', { retryable: false }),
    failed('network', { retryable: false }),
    refused('PROVIDER_UNAVAILABLE', { params: { reason: 'circuit_open' } }),
    refused('RATE_LIMITED', { params: { scope: 'organization' } }),
    refused('RATE_LIMITED', { params: { scope: 'system' } }),
  ];
  for (const error of never) {
    const decision = decideRetry(PATIENT, error, NOTHING_REPEATED, MOMENT);
    assert.deepEqual(decision, { kind: 'give_up', why: 'not_repeatable' });
  }
});

test('the delay doubles up to a minute', () => {
  const rules = { ...PATIENT, errorRetries: 2000 };
  const waits = waitsUntilGivenUp(failed('error'), rules, { ...MOMENT, deadlineAt: Infinity });
  assert.equal(waits.length, 2000);
  assert.deepEqual(waits.slice(5, 8), [32_000, 60_000, 60_000]);
  assert.equal(waits.at(-1), 60_000);
});

test('jitter varies a delay by at most a quarter', () => {
  fc.assert(
    fc.property(anyFailure, fc.double({ min: 0, max: 1, noNaN: true }), (kind, random) => {
      const waits = waitsUntilGivenUp(failed(kind), PATIENT, { ...MOMENT, random });
      const plain = waitsUntilGivenUp(failed(kind));
      for (const [index, waitMs] of waits.entries()) {
        const expected = plain[index] ?? 0;
        assert.ok(waitMs >= expected * 0.75 && waitMs <= expected * 1.25);
      }
    }),
  );
});

test('a stated delay is never shortened, and lengthened by at most a quarter', () => {
  const stated = fc.integer({ min: 1, max: 120_000 });
  fc.assert(
    fc.property(stated, fc.double({ min: 0, max: 1, noNaN: true }), (retryAfterMs, random) => {
      const error = failed('throttled', { retryAfterMs });
      const decision = decideRetry(PATIENT, error, NOTHING_REPEATED, { ...MOMENT, random });
      assert.ok(decision.kind === 'retry');
      assert.ok(decision.waitMs >= retryAfterMs);
      assert.ok(decision.waitMs <= Math.ceil(retryAfterMs * 1.25));
    }),
  );
});

test('the later of a stated delay and a stated reset time applies', () => {
  const error = failed('throttled', { retryAfterMs: 1000, resetAt: NOW + 3000 });
  assert.ok(waitsUntilGivenUp(error).every((waitMs) => waitMs >= 3000));
});

test('a stated delay is the minimum for an overload, and a longer backoff applies', () => {
  const short = waitsUntilGivenUp(failed('overloaded', { retryAfterMs: 100 }));
  assert.deepEqual(short, [2000, 4000, 8000]);
  const long = waitsUntilGivenUp(failed('overloaded', { retryAfterMs: 9000 }));
  assert.ok(long.every((waitMs) => waitMs >= 9000));
});

test('a stated delay of zero leaves the backoff in place', () => {
  const [first] = waitsUntilGivenUp(failed('throttled', { retryAfterMs: 0, resetAt: NOW - 5 }));
  assert.equal(first, 1000);
});

test('a stated delay beyond the bound ends the request at once', () => {
  const moment = { ...MOMENT, random: 0.999 };
  const decide = (retryAfterMs: number) =>
    decideRetry(RETRY_DEFAULTS, failed('throttled', { retryAfterMs }), NOTHING_REPEATED, moment);
  assert.deepEqual(decide(10_001), { kind: 'give_up', why: 'waited_enough' });
  const atTheBound = decide(10_000);
  assert.ok(atTheBound.kind === 'retry' && atTheBound.waitMs === 10_000);
});

test('a delay that would reach the deadline is not started', () => {
  const error = failed('network');
  const soon = { ...MOMENT, deadlineAt: NOW + 1000 };
  const decision = decideRetry(PATIENT, error, NOTHING_REPEATED, soon);
  assert.deepEqual(decision, { kind: 'give_up', why: 'deadline' });
  const justLater = { ...soon, deadlineAt: NOW + 1001 };
  assert.equal(decideRetry(PATIENT, error, NOTHING_REPEATED, justLater).kind, 'retry');
});

test('no request exceeds its bounds or its number of retries, whatever failures it meets', () => {
  const stated = fc.option(fc.integer({ min: 0, max: 15_000 }), { nil: undefined });
  const step = fc.record({
    kind: anyFailure,
    stated,
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 0, max: 30_000 }), (steps, deadlineMs) => {
      let history = NOTHING_REPEATED;
      let now = NOW;
      for (const { kind, stated: retryAfterMs, random } of steps) {
        const error = failed(kind, retryAfterMs === undefined ? {} : { retryAfterMs });
        const moment = { now, deadlineAt: NOW + deadlineMs, random };
        const decision = decideRetry(RETRY_DEFAULTS, error, history, moment);
        if (decision.kind === 'give_up') continue;
        assert.ok(Number.isInteger(decision.waitMs) && decision.waitMs > 0);
        history = afterRetry(history, decision);
        now += decision.waitMs;
      }
      assert.ok(now === NOW || now < NOW + deadlineMs);
      assert.ok(history.waitedMs <= RETRY_DEFAULTS.maxInteractiveWaitMs);
      assert.ok(history.repeats.throttled <= 5);
      assert.ok(Math.max(history.repeats.overloaded, history.repeats.error) <= 3);
      assert.ok(history.repeats.network <= 3 && history.repeats.timeout === 0);
    }),
  );
});
