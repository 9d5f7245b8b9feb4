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
  return { parts, clock, told, start, takeBefore, remaining, reserve: () => decide(RESERVED) };
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

const KINDS = { format: 'openai', operation: 'responses' } as const;
const SEARCHING = Buffer.from('{"tools":[{"type":"mcp"}]}');

/** An order whose every use of a tool costs a nanodollar, and its reservations, each with the decision about it. */
function research(limitNanos: number, decide: (nanos: number) => BudgetDecision) {
  const { parts, clock } = rig(1);
  const asked: (readonly [nanos: number, patienceMs: number])[] = [];
  const ended: (number | undefined | string)[] = [];
  const order = orderOf(undefined, clock.monotonic());
  const stated = readStated(KINDS, SEARCHING, readFields(KINDS, SEARCHING));
  const clearance = new AttemptClearance(
    {
      ...parts,
      meter: { worstNanos: (_, { referredTokens = 0 }) => referredTokens / 1000 },
      ledger: {
        ...parts.ledger,
        reserve({ worstNanos, patienceMs }, onDecision) {
          asked.push([worstNanos, patienceMs]);
          onDecision(decide(worstNanos));
          return () => {};
        },
      },
    },
    {
      ...order,
      plan: {
        ...order.plan,
        stated,
        operation: 'responses',
        charge: 'input_and_output',
        canLimitTools: true,
      },
      budget: { ...OWNER, organizationLimitNanos: limitNanos },
    },
    {
      target: TARGET,
      number: 1,
      pass: { key: { provider: 'openai', region: 'us-east' }, probe: undefined },
    },
    {
      onCleared: ({ maxToolCalls }) => void ended.push(maxToolCalls),
      onRefused: ({ code }) => void ended.push(code),
      onStandings: () => {},
    },
  );
  clearance.start(1000);
  return { asked, ended };
}

const exceeded = (limitNanos: number, spentNanos: number): BudgetDecision => ({
  kind: 'exceeded',
  scope: 'organization',
  limitNanos,
  spentNanos,
  resetAt: 0,
});

test('a response gets the tool uses that a twentieth of its budget covers, from ten to a hundred', () => {
  for (const [limitNanos, uses] of [
    [10, 10],
    [200, 10],
    [500, 25],
    [1e9, 100],
  ] as const) {
    const { asked, ended } = research(limitNanos, () => RESERVED);
    assert.deepEqual([asked, ended], [[[uses, uses > 10 ? 0 : 1000]], [uses]]);
  }
});

test('more than ten tool uses wait for no other reservation, and ten are reserved instead', () => {
  for (const refusal of [exceeded(1000, 0), { kind: 'unavailable' } as const]) {
    const { asked, ended } = research(1000, (nanos) => (nanos > 10 ? refusal : RESERVED));
    assert.deepEqual(
      [asked, ended],
      [
        [
          [50, 0],
          [10, 1000],
        ],
        [10],
      ],
    );
  }
});

test('the last of a large budget bounds the tool uses of a response, and too little refuses it', () => {
  const spent = (left: number) => (nanos: number) =>
    nanos > left ? exceeded(1000, 1000 - left) : RESERVED;
  assert.deepEqual(research(1000, spent(4)).ended, [4]);
  assert.deepEqual(research(1000, spent(0)).ended, ['BUDGET_EXCEEDED']);
  assert.deepEqual(research(1000, () => ({ kind: 'unavailable' })).ended, ['CAPACITY_EXHAUSTED']);
});
