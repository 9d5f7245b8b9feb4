// Responses without `max_tool_calls`, whose models use tools up to the maximum that is sent: no order, concurrency or number of
// uses exceeds a budget.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { budgetOwner } from '../../../test/support/budgets/budget-ask.ts';
import { openBudgetServer, storeOwner } from '../../../test/support/budgets/budget-rig.ts';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { OPENAI_TARGET } from '../../../test/support/upstream/openai-target.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../../adapters/sqlite/usage-store.ts';
import type { WorstCaseRequest } from '../../metering/prices/worst-case.ts';
import { matchNativeRoute } from '../../upstream/native-route.ts';
import { createCallTerms } from './call-terms.ts';
import type { SentAttempt } from './charge/settle-attempt.ts';
import { AttemptClearance, type ClearanceParts } from './clear-attempt.ts';
import { type CallPlan, planCall } from './plan-call.ts';

/** Each use reads a window, at a nanodollar. */
const WINDOW_TOKENS = 1000;
const OWN_NANOS = 3;
/** More uses than any budget covers, by a model that no maximum stops. */
const ENDLESS_USES = 5000;
const HOUR_MS = 3_600_000;

type Step =
  | { readonly do: 'ask'; readonly tools: readonly object[]; readonly patienceMs: number }
  | { readonly do: 'answer'; readonly which: number; readonly part: number }
  | { readonly do: 'pass'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      tools: fc.constantFrom(
        [{ type: 'web_search' }],
        [{ type: 'mcp', server_label: 'a' }, { type: 'file_search' }],
        // OpenAI's tools have no such field.
        [{ type: 'mcp', server_label: 'a', max_uses: 1 }],
      ),
      patienceMs: fc.constantFrom(0, 2000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      which: fc.nat(),
      part: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(50, 3000) }),
  },
);

const limit = fc.constantFrom(15, 90, 400, 3000);

test('models that use tools as often as they may exceed no budget', async () => {
  const property = fc.asyncProperty(
    limit,
    fc.option(limit, { nil: undefined }),
    fc.array(step, { minLength: 5, maxLength: 60 }),
    async (organizationLimitNanos, keyLimitNanos, steps) => {
      const run = await startRun(organizationLimitNanos, keyLimitNanos);
      for (const each of steps) await run.take(each);
      await run.finish();
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

async function startRun(organizationLimitNanos: number, keyLimitNanos: number | undefined) {
  const folder = makeTempFolder();
  const store = await openSqlite(':memory:');
  const usage = createSqliteUsageStore(store);
  const clock = createTestClock();
  const owner = budgetOwner({ organizationLimitNanos, keyLimitNanos });
  await storeOwner(store, owner);
  const server = await openBudgetServer({ ...store, folder, usage, clock });
  const sent: { readonly attempt: SentAttempt; readonly plan: CallPlan }[] = [];
  const parts = partsOf(clock, server.ledger);
  let number = 0;

  function ask(tools: readonly object[], patienceMs: number): void {
    const nowMs = clock.monotonic();
    const plan = planOf(tools);
    const order = {
      id: `req_${(number += 1)}`,
      plan,
      payer: {
        organizationId: owner.organizationId,
        keyId: owner.keyId,
        userId: undefined,
        category: undefined,
      },
      budget: owner,
      isBackground: false,
      deadlineAtMs: nowMs + HOUR_MS,
      leasedUntilMs: nowMs + HOUR_MS,
    };
    const pass = { key: { provider: 'openai', region: 'global' }, probe: undefined };
    const clearance = new AttemptClearance(
      parts,
      order,
      { target: OPENAI_TARGET, number: 1, pass },
      {
        onCleared: (attempt) => void sent.push({ attempt, plan }),
        onRefused: ({ code }) => assert.equal(code, 'BUDGET_EXCEEDED'),
        onStandings: () => {},
      },
    );
    clearance.start(patienceMs);
  }

  async function answer(which: number, part: number): Promise<void> {
    const [chosen] = sent.length === 0 ? [] : sent.splice(which % sent.length, 1);
    if (!chosen) return;
    const { attempt, plan } = chosen;
    const { body } = plan.callTo(attempt.target, undefined, attempt.maxToolCalls);
    const { max_tool_calls: most = ENDLESS_USES } = JSON.parse(body.toString()) as {
      max_tool_calls?: number;
    };
    const costNanos = OWN_NANOS + Math.round(part * most);
    const { organizationId, keyId } = owner;
    const { id, budgetMonth } = attempt;
    await server.record(usageRecord(id, { organizationId, keyId, costNanos, budgetMonth }));
  }

  async function assertWithin(): Promise<void> {
    for (const scope of ['organization', 'key'] as const) {
      const status = await server.ledger.status(owner, scope);
      if (!status) continue;
      const { spentNanos, reservedNanos, limitNanos } = status;
      assert.ok(spentNanos + reservedNanos <= limitNanos, `the budget of the ${scope}`);
    }
  }

  return {
    async take(each: Step): Promise<void> {
      if (each.do === 'ask') ask(each.tools, each.patienceMs);
      else if (each.do === 'pass') await clock.advance(each.ms);
      else await answer(each.which, each.part);
      await clock.advance(1);
      await assertWithin();
    },
    async finish(): Promise<void> {
      await clock.advance(10_000);
      while (sent.length > 0) await answer(0, 1);
      await assertWithin();
      await server.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function partsOf(clock: ClearanceParts['clock'], ledger: ClearanceParts['ledger']): ClearanceParts {
  return {
    clock,
    ledger,
    limiter: createMemoryRateLimiter(clock),
    terms: createCallTerms(() => ({ limits: [], countsTokens: false })),
    holdMarginMs: 1000,
    contextTokens: () => WINDOW_TOKENS,
    breakers: { report: () => {} },
    meter: {
      worstNanos: (_provider: string, { referredTokens = 0 }: WorstCaseRequest) =>
        OWN_NANOS + referredTokens / WINDOW_TOKENS,
    },
  };
}

function planOf(tools: readonly object[]): CallPlan {
  const route = matchNativeRoute('/v1/responses');
  assert.ok(route);
  const body = Buffer.from(JSON.stringify({ model: 'gpt-5', input: 'Hi', tools }));
  return planCall(route, {}, body, {
    resolveTargets: () => ({ outcome: 'targets', targets: [OPENAI_TARGET], isAlias: false }),
    isReasoning: () => false,
  });
}
