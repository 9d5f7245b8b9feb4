import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ERROR_TABLE } from './codes.ts';
import { FAILURES } from './fixtures/all-failures.ts';
import { explainProviderError, mapProviderError } from './map-provider-error.ts';

for (const [family, fixtures] of Object.entries(FAILURES)) {
  suite(family, () => {
    for (const fixture of fixtures) {
      test(`${fixture.name} → ${fixture.code}`, () => {
        const { rule, ...verdict } = explainProviderError(fixture.failure, fixture.context);
        const expected = {
          code: fixture.code,
          retryable: fixture.retryable ?? ERROR_TABLE[fixture.code].retryable,
          retryAfterMs: fixture.retryAfterMs,
          resetAt: fixture.resetAt,
        };
        const { code, retryable, retryAfterMs, resetAt } = verdict;
        assert.deepEqual({ code, retryable, retryAfterMs, resetAt }, expected, `rule: ${rule}`);
        assert.deepEqual(mapProviderError(fixture.failure, fixture.context), verdict);
      });
    }
  });
}

test('an exhausted balance is not a usage limit with a reset', () => {
  const paramsOf = (status: number, error: object) =>
    mapProviderError({ status, body: { error } }, { now: 0 }).params;
  const message = 'Your credit balance is too low to access the API.';
  assert.deepEqual(paramsOf(400, { type: 'invalid_request_error', message }), { reason: 'credit' });
  assert.deepEqual(paramsOf(429, { code: 'insufficient_quota' }), { reason: 'credit' });
  assert.deepEqual(paramsOf(402, {}), { reason: 'credit' });
  const limit = { code: 'usage_limit_reached', resets_in_seconds: 3600 };
  assert.deepEqual(paramsOf(429, limit), { resetTime: 3_600_000 });
});

test('a success with a normal stop reason that is passed as a failure maps to INTERNAL', () => {
  const answer = { status: 200, body: { choices: [{ finish_reason: 'stop' }] } };
  assert.equal(mapProviderError(answer).code, 'INTERNAL');
});
