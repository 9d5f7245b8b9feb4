import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import type { BudgetDecision } from '../../metering/budgets/budget-ledger.ts';
import type { Limit, PermitAsk } from '../../resilience/rate-limiter.ts';
import type { Target } from '../../routing/target.ts';
import { createCallTerms } from './call-terms.ts';
import { AttemptClearance, type ClearanceOrder, type ClearanceParts } from './clear-attempt.ts';
import { readFields, readStated } from './read-request.ts';

const KIND = { format: 'openai', operation: 'chat' } as const;

const TARGET: Target = {
  provider: 'openai',
  account: 'default',
  region: 'us-east',
  format: 'openai',
  model: 'm',
  origin: 'http://127.0.0.1',
  basePath: '',
  apiKey: 'k',
};
const WINDOW_MS = 10_000;
const OWNER = {
  organizationId: 'acme',
  keyId: 'key',
  timeZone: 'UTC',
  organizationLimitNanos: 1000,
  keyLimitNanos: undefined,
  userLimitNanos: undefined,
};
const RESERVED: BudgetDecision = { kind: 'reserved', month: 202601 };

/** A limit of `max`, and a budget decision that the test makes. */
function rig(max: number) {
  const clock = createTestClock();
  const limiter = createMemoryRateLimiter(clock);
  const limit: Limit = {
    tier: 'provider',
    subject: 'openai',
    kind: 'requests',
    max,
    windowMs: WINDOW_MS,
  };
  const told: string[] = [];
  let decide: (decision: BudgetDecision) => void = () => {};
  const parts: ClearanceParts = {
    clock,
    limiter,
    terms: createCallTerms(() => ({ limits: [limit], countsTokens: false })),
    holdMarginMs: 1000,
    contextTokens: () => 1000,
    breakers: { report: () => {} },
    meter: { worstNanos: () => 1 },
    ledger: {
      reserve(_ask, onDecision) {
        decide = onDecision;
        return () => {};
      },
      release: () => void told.push('released'),
    },
  };

  function start(permit?: ClearanceOrder['permit']): void {
    const pass = { key: { provider: 'openai', region: 'us-east' }, probe: undefined };
    const clearance = new AttemptClearance(
      parts,
      orderOf(permit, clock.monotonic()),
      { target: TARGET, number: 1, pass },
      {
        onCleared: (sent) => void told.push(`cleared by ${sent.permit.id}`),
        onRefused: ({ code }) => void told.push(code),
        onStandings: () => {},
      },
    );
    clearance.start(1000);
  }

  /** As a worker does before it has claimed its job. */
  function takeBefore(account = TARGET.account): NonNullable<ClearanceOrder['permit']> {
    const ask: PermitAsk = { id: 'own', limits: [limit], tokens: 0, expiresMs: 1000 };
    limiter.take(ask, ({ isAllowed }) => assert.ok(isAllowed));
    return { ask, askedAtMs: clock.monotonic(), account };
  }

  const remaining = async () => (await limiter.look([limit]))[0]?.remaining;
  return { clock, told, start, takeBefore, remaining, reserve: () => decide(RESERVED) };
}

function orderOf(permit: ClearanceOrder['permit'], nowMs: number): ClearanceOrder {
  const body = Buffer.from('{}');
  return {
    id: 'req',
    plan: {
      requestedModel: 'm',
      targets: [TARGET],
      isStream: false,
      body,
      stated: readStated(KIND, body, readFields(KIND, body)),
      operation: 'messages',
      charge: 'nothing',
      canLimitTools: false,
      callTo: () => assert.fail('nothing is called here'),
    },
    payer: { organizationId: 'acme', keyId: 'key', userId: undefined, category: undefined },
    budget: OWNER,
    permit,
    isBackground: true,
    deadlineAtMs: nowMs + 60_000,
    leasedUntilMs: nowMs + 60_000,
  };
}

test("a fresh permit is used, its own or the order's", () => {
  const { told, start, takeBefore, reserve } = rig(2);
  start();
  reserve();
  start(takeBefore());
  reserve();
  assert.deepEqual(told, ['cleared by req.1', 'cleared by own']);
});

test('a permit that expires during the budget decision is renewed before the call', async () => {
  const { clock, told, start, remaining, reserve } = rig(1);
  start();
  await clock.advance(150);
  reserve();
  assert.deepEqual(told, ['cleared by req.1+']);
  await clock.advance(WINDOW_MS - 1);
  assert.equal(await remaining(), 0);
  await clock.advance(1);
  assert.equal(await remaining(), 1);
});

test('an old permit of the order is renewed once', async () => {
  const { clock, told, start, takeBefore, remaining, reserve } = rig(1);
  const brought = takeBefore();
  await clock.advance(60);
  start(brought);
  await clock.advance(60);
  reserve();
  assert.deepEqual(told, ['cleared by own+']);
  assert.equal(await remaining(), 0);
});

test('a renewal over the limit refuses the call and releases the reservation', async () => {
  const { clock, told, start, takeBefore, remaining, reserve } = rig(1);
  const brought = takeBefore();
  await clock.advance(WINDOW_MS);
  takeBefore();
  start(brought);
  reserve();
  assert.deepEqual(told, ['released', 'RATE_LIMITED']);
  assert.equal(await remaining(), 0);
});

test('a permit of another account is given back, and the limit of the called account counts the attempt', async () => {
  const { told, start, takeBefore, remaining, reserve } = rig(2);
  start(takeBefore('second'));
  reserve();
  assert.deepEqual(told, ['cleared by req.1']);
  assert.equal(await remaining(), 1);
});
