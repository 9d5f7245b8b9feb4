import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { OPENAI_TARGET } from '../../../../test/support/upstream/openai-target.ts';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.ts';
import { NO_USAGE } from '../../../kernel/usage.ts';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import type { SentAttempt } from './settle-attempt.ts';
import { UnservedAttempts } from './unserved-attempts.ts';

const ENDING = {
  status: 'NETWORK_TIMEOUT',
  usage: { ...NO_USAGE, inputTokens: 12 },
  isEstimated: true,
  leastNanos: 500,
};

function openRig() {
  const clock = createTestClock();
  const booked: UsageRecord[] = [];
  const unbilled: [string, number][] = [];
  const waiting: (() => void)[] = [];
  const unserved = new UnservedAttempts(
    {
      clock,
      limiter: createMemoryRateLimiter(clock),
      ledger: { settle: (record) => booked.push(record) },
      meter: { costNanos: () => 100, record: (_record, onWritten) => waiting.push(onWritten) },
      metrics: { unbilled: (provider, costNanos) => unbilled.push([provider, costNanos]) },
    },
    {
      id: 'req',
      payer: { organizationId: 'acme', keyId: 'key_1', userId: 'u', category: 'c' },
      plan: { isStream: false },
    },
  );
  const write = () => {
    for (const written of waiting.splice(0)) written();
  };
  return { unserved, booked, unbilled, write };
}

function sent(number: number): SentAttempt {
  return {
    id: `req.${number}`,
    target: OPENAI_TARGET,
    number,
    pass: { key: { provider: 'openai', region: 'us-east' }, probe: undefined },
    sentAtMs: 0,
    permit: { id: `req.${number}`, limits: [], tokens: 0, expiresMs: 1 },
    budgetMonth: 202601,
    reservedNanos: 500,
  };
}

test('an attempt is booked without cost when another one serves, and its estimate is counted as unbilled', () => {
  const { unserved, booked, unbilled, write } = openRig();
  assert.equal(unserved.add(sent(1), ENDING).costNanos, 500);
  assert.equal(unserved.waive(), true);
  write();
  assert.deepEqual(
    booked.map(({ id, costNanos, inputTokens, estimated }) => ({
      id,
      costNanos,
      inputTokens,
      estimated,
    })),
    [{ id: 'req.1', costNanos: 0, inputTokens: 12, estimated: true }],
  );
  assert.deepEqual(unbilled, [['openai', 500]]);
  assert.equal(unserved.waive(), false);
});

test('every attempt is charged when none serves, and the caller is notified after the last record is written', () => {
  const { unserved, booked, unbilled, write } = openRig();
  unserved.add(sent(1), ENDING);
  unserved.add(sent(2), ENDING);
  let settled = 0;
  unserved.charge(() => {
    settled += 1;
  });
  assert.equal(settled, 0);
  write();
  assert.equal(settled, 1);
  assert.deepEqual(
    booked.map(({ costNanos }) => costNanos),
    [500, 500],
  );
  assert.deepEqual(unbilled, []);
  unserved.charge(() => {
    settled += 1;
  });
  assert.equal(settled, 2);
  assert.equal(booked.length, 2);
});
