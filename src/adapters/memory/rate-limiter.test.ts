import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateLimiterContract } from '../../../test/contract/rate-limiter.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from './rate-limiter.ts';

rateLimiterContract('memory', async () => {
  const clock = createTestClock();
  const limiter = createMemoryRateLimiter(clock);
  return { limiter, pass: (ms) => clock.advance(ms), close: () => limiter.close() };
});

test('a decision is made before `take` returns', () => {
  const limiter = createMemoryRateLimiter(createTestClock());
  let isAnswered = false;
  limiter.take({ id: '1', limits: [], tokens: 0, expiresMs: 1 }, ({ isAllowed }) => {
    isAnswered = isAllowed;
  });
  assert.ok(isAnswered);
});

test('a wall clock that is set back does not close a limit', () => {
  const clock = createTestClock();
  let wall = clock.now();
  const limiter = createMemoryRateLimiter({ ...clock, now: () => wall });
  const subject = { tier: 'organization', subject: 'acme' } as const;
  const limit = { ...subject, kind: 'requests', max: 1, windowMs: 60_000 } as const;
  const answers: (number | undefined)[] = [];
  for (const id of ['1', '2']) {
    limiter.take({ id, limits: [limit], tokens: 0, expiresMs: 1 }, (decision) =>
      answers.push(decision.isAllowed ? 0 : decision.retryAfterMs),
    );
    wall -= 3_600_000;
  }
  assert.deepEqual(answers, [0, 60_000]);
});
