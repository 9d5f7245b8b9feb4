import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { ERROR_CODES, type Verdict } from '../../errors/codes.ts';
import { decideRetry, RETRY_DEFAULTS, retryDelayMs } from './job-policy.ts';

const NOW = 1_000_000;

describe('a failed run', () => {
  it('delays the job without costing an attempt if the provider or the gateway is at a limit', () => {
    for (const verdict of [
      failure('RATE_LIMITED', { retryAfterMs: 700 }),
      failure('AI_LIMIT_REACHED', { resetAt: NOW + 700 }),
      failure('CAPACITY_EXHAUSTED', { retryAfterMs: 700 }),
      failure('PROVIDER_UNAVAILABLE', { params: { reason: 'circuit_open', retryAfterMs: 700 } }),
    ])
      assert.deepEqual(judgeAfter(1, verdict), {
        kind: 'delay',
        until: NOW + 700,
        costsAttempt: false,
      });
  });

  it('delays the job by five minutes if a limit states no reset', () => {
    const judged = judgeAfter(1, failure('AI_LIMIT_REACHED'));
    assert.ok(judged.kind === 'delay' && judged.until === NOW + 300_000);
  });

  it('is retried after one, two and four seconds, then makes a dead letter', () => {
    const outage = failure('PROVIDER_UNAVAILABLE', { retryable: true });
    for (const [attempts, waitMs] of [
      [1, 1000],
      [2, 2000],
      [3, 4000],
    ] as const)
      assert.deepEqual(judgeAfter(attempts, outage), {
        kind: 'delay',
        until: NOW + waitMs,
        costsAttempt: true,
      });
    assert.deepEqual(judgeAfter(4, outage), { kind: 'fail', isDeadLetter: true });
  });

  it('is never retried before the stated time', () => {
    const judged = judgeAfter(
      1,
      failure('NETWORK_TIMEOUT', { retryable: true, retryAfterMs: 9000 }),
    );
    assert.ok(judged.kind === 'delay' && judged.until === NOW + 9000);
  });

  it("fails the job, with a dead letter unless the error is the caller's", () => {
    assert.deepEqual(judgeAfter(1, failure('INVALID_REQUEST')), {
      kind: 'fail',
      isDeadLetter: false,
    });
    assert.deepEqual(judgeAfter(1, failure('AUTH_FAILED')), { kind: 'fail', isDeadLetter: true });
  });

  it('fails the job if the run is final, even for a retryable error', () => {
    for (const [verdict, isDeadLetter] of [
      [failure('NETWORK_TIMEOUT', { retryable: true }), true],
      [failure('RATE_LIMITED', { retryable: true, retryAfterMs: 700 }), true],
      [failure('CONTENT_POLICY'), false],
    ] as const) {
      const judged = decideRetry({ attempts: 1 }, { verdict, isFinal: true }, RETRY_DEFAULTS, NOW);
      assert.deepEqual(judged, { kind: 'fail', isDeadLetter });
    }
  });

  it('fails the job eventually, and never delays it into the past', () => {
    const codes = fc.constantFrom(...ERROR_CODES);
    fc.assert(
      fc.property(codes, fc.boolean(), fc.nat(200), (code, retryable, attempts) => {
        const judged = judgeAfter(attempts, failure(code, { retryable }));
        if (judged.kind === 'fail') return;
        assert.ok(judged.until >= NOW);
        assert.ok(!judged.costsAttempt || attempts <= RETRY_DEFAULTS.maxRetryAttempts);
      }),
    );
  });

  it('doubles the backoff up to its maximum', () => {
    fc.assert(
      fc.property(fc.nat(5000), (attempts) => {
        const waitMs = retryDelayMs(attempts, RETRY_DEFAULTS);
        assert.ok(waitMs >= 1000 && waitMs <= 3_600_000);
      }),
    );
  });
});

function failure(code: Verdict['code'], given: Partial<Verdict> = {}): Verdict {
  return { code, params: {}, retryable: false, ...given };
}

function judgeAfter(attempts: number, verdict: Verdict) {
  return decideRetry({ attempts }, { verdict }, RETRY_DEFAULTS, NOW);
}
