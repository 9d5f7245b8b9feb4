import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRetryBudget } from '../../adapters/memory/retry-budget.ts';
import { ERROR_CODES } from '../../errors/codes.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { type RetryNotice, retry } from './retry.ts';

const overloaded = () =>
  new SpillwayError('PROVIDER_UNAVAILABLE', 'busy', { params: { reason: 'overloaded' } });

/** Fails `failures` times, then succeeds; counts its calls. */
function flaky(failures: number, failure: () => unknown = overloaded) {
  const operation = async (): Promise<string> => {
    operation.calls += 1;
    if (operation.calls <= failures) throw failure();
    return 'done';
  };
  operation.calls = 0;
  return operation;
}

test('a repairable failure is retried until the operation succeeds', async () => {
  const clock = createTestClock();
  const operation = flaky(2);
  const notices: RetryNotice[] = [];
  const result = retry({ clock, baseMs: 100, onRetry: (notice) => notices.push(notice) })(
    operation,
  );
  await clock.advance(0);
  await clock.advance(60_000);
  assert.equal(await result, 'done');
  assert.equal(operation.calls, 3);
  assert.deepEqual(
    notices.map(({ number, waitMs }) => [number, waitMs]),
    [
      [1, 2000],
      [2, 4000],
    ],
  );
});

test('a stated delay is obeyed', async () => {
  const clock = createTestClock();
  const operation = flaky(1, () => ({ status: 429, headers: { 'retry-after': '3' } }));
  const result = retry({ clock })(operation);
  await clock.advance(0);
  await clock.advance(2999);
  assert.equal(operation.calls, 1);
  await clock.advance(1000);
  assert.equal(await result, 'done');
});

test('the caller gets the thrown value of the last attempt unchanged', async () => {
  const clock = createTestClock();
  const thrown = new TypeError('a mistake in the operation');
  const operation = flaky(9, () => thrown);
  await assert.rejects(retry({ clock })(operation), (error) => error === thrown);
  assert.equal(operation.calls, 1);
});

test('a delay beyond the bound of waiting ends the retries at once', async () => {
  const clock = createTestClock();
  const operation = flaky(9, () => new SpillwayError('RATE_LIMITED', '', { retryAfterMs: 5001 }));
  await assert.rejects(retry({ clock, maxWaitMs: 5000 })(operation), { code: 'RATE_LIMITED' });
  assert.equal(operation.calls, 1);
});

test('aborting the signal ends the delay with the reason of the signal', async () => {
  const clock = createTestClock();
  const controller = new AbortController();
  const operation = flaky(9);
  const result = retry({ clock })(operation, controller.signal);
  const rejected = assert.rejects(result, { message: 'the user has left' });
  await clock.advance(1);
  controller.abort(new Error('the user has left'));
  await rejected;
  assert.equal(operation.calls, 1);
  assert.equal(clock.pendingTimers(), 0);
});

test('an empty retry budget ends the retries of all calls of its scope', async () => {
  const clock = createTestClock();
  const budget = createMemoryRetryBudget(clock, { perRequest: 0, perSecond: 0, capacity: 1 });
  const first = flaky(1);
  const result = retry({ clock, budget, scope: 'search' })(first);
  await clock.advance(0);
  await clock.advance(5000);
  assert.equal(await result, 'done');
  await assert.rejects(retry({ clock, budget, scope: 'search' })(flaky(1)), {
    code: 'PROVIDER_UNAVAILABLE',
  });
});

test('an error that is not retryable is never retried, and maxRetries bounds the attempts', async () => {
  const scenario = fc.record({
    code: fc.constantFrom(...ERROR_CODES),
    retryable: fc.boolean(),
    maxRetries: fc.nat({ max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ code, retryable, maxRetries }) => {
      const clock = createTestClock();
      const operation = flaky(Infinity, () => new SpillwayError(code, '', { retryable }));
      const rejected = assert.rejects(retry({ clock, maxRetries })(operation), { code });
      await clock.advance(0);
      await clock.advance(600_000);
      await rejected;
      assert.ok(operation.calls <= (retryable ? maxRetries + 1 : 1));
    }),
    { numRuns: 60 },
  );
});

test('a wrong option is refused when the policy is made', () => {
  assert.throws(() => retry({ maxRetries: -1 }), {
    name: 'RangeError',
    message: 'retry: maxRetries must be a whole number of 0 or more.',
  });
  assert.throws(() => retry({ jitter: 2 }), /jitter must be a number from 0 to 1/);
});
