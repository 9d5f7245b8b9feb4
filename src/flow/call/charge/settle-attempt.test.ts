import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { OPENAI_TARGET } from '../../../../test/support/upstream/openai-target.ts';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.ts';
import { NO_USAGE } from '../../../kernel/usage.ts';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import type { Limit, PermitAsk } from '../../../resilience/rate-limiter.ts';
import { type SettleParts, settleAttempt } from './settle-attempt.ts';

const TOKENS: Limit = {
  tier: 'organization',
  subject: 'acme',
  kind: 'tokens',
  max: 1000,
  windowMs: 60_000,
};
const PAYER = { organizationId: 'acme', keyId: 'key_1', userId: 'u', category: 'c' };
const OK = { status: 'OK', usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 5 } };

function rig() {
  const clock = createTestClock();
  const limiter = createMemoryRateLimiter(clock);
  const told: string[] = [];
  const parts: SettleParts = {
    clock,
    limiter,
    ledger: { settle: ({ id }) => told.push(`settled ${id}`) },
    meter: {
      costNanos: (_provider, _model, usage) => usage.outputTokens * 1000,
      record(record, onWritten) {
        told.push(`written ${record.id}`);
        onWritten();
      },
    },
  };

  function attempt(number: number, takesMs: number): Promise<UsageRecord> {
    const permit: PermitAsk = { id: `req.${number}`, limits: [TOKENS], tokens: 900, expiresMs: 1 };
    limiter.take(permit, (decision) => assert.equal(decision.isAllowed, true));
    const pass = { key: { provider: 'openai', region: 'us-east' }, probe: undefined };
    const sentAtMs = clock.monotonic();
    const reserved = { id: permit.id, budgetMonth: 202601, reservedNanos: 0 };
    const sent = { target: OPENAI_TARGET, number, pass, sentAtMs, permit, ...reserved };
    const order = { id: 'req', payer: PAYER, plan: { isStream: false } };
    return clock
      .advance(takesMs)
      .then(() =>
        settleAttempt(parts, order, sent, { ...OK, isEstimated: false }, ({ id }) =>
          told.push(`told ${id}`),
        ),
      );
  }
  return { clock, limiter, told, attempt };
}

test('each attempt has its own record with its own latency', async () => {
  const { clock, attempt } = rig();
  const first = await attempt(1, 30);
  await clock.advance(5000);
  const second = await attempt(2, 70);
  assert.deepEqual([first.id, first.attempt, first.latencyMs], ['req.1', 1, 30]);
  assert.deepEqual([second.id, second.attempt, second.latencyMs], ['req.2', 2, 70]);
  assert.partialDeepStrictEqual(second, { ...PAYER, costNanos: 5000, inputTokens: 10 });
});

test('usage is journalled before the reservation is settled and the caller notified', async () => {
  const { told, attempt } = rig();
  await attempt(1, 1);
  assert.deepEqual(told, ['written req.1', 'settled req.1', 'told req.1']);
});

test('reserved tokens are settled with the tokens used', async () => {
  const { limiter, attempt } = rig();
  await attempt(1, 1);
  const [standing] = await limiter.look([TOKENS]);
  assert.equal(standing?.remaining, 985);
});
