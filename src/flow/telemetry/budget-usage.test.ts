import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { BudgetLedger, BudgetOwner } from '../../metering/budgets/budget-ledger.ts';
import { createBudgetUsage } from './budget-usage.ts';

const NO_LEDGER: BudgetLedger = {
  reserve: () => () => {},
  release() {},
  settle() {},
  status: async () => undefined,
  close: async () => {},
};

function rig(hasOrganizationLabels: boolean) {
  const clock = createTestClock();
  const metrics = createMetrics();
  const posted = new Map<string, number>();
  const read: string[] = [];
  const store = {
    async standing({ organizationId }: { readonly organizationId: string }) {
      read.push(organizationId);
      return { postedNanos: posted.get(organizationId) ?? 0, reservedNanos: 0 };
    },
  };
  const usage = createBudgetUsage({ store, metrics, clock, hasOrganizationLabels });
  const ledger = usage.watch(NO_LEDGER);
  const spend = (owner: BudgetOwner, nanos: number): void => {
    posted.set(owner.organizationId, nanos);
    const attempt = {
      id: 'a',
      requestId: 'r',
      attempt: 1,
      organizationId: owner.organizationId,
      keyId: owner.keyId,
      userId: undefined,
      category: undefined,
      provider: 'p',
      model: 'm',
      streamed: false,
    };
    ledger.reserve({ attempt, owner, worstNanos: 1, expiresAt: 0, patienceMs: 0 }, () => {});
  };
  const values = () => {
    const gauge = metrics.collect().find(({ name }) => name === 'ai.budget.usage');
    assert.ok(gauge?.kind === 'gauge');
    return Object.fromEntries([...gauge.series.values()].map((s) => [s.labels[0], s.cell.value]));
  };
  return { clock, usage, spend, values, read };
}

function ownerOf(organizationId: string): BudgetOwner {
  return {
    organizationId,
    keyId: 'k',
    timeZone: 'UTC',
    organizationLimitNanos: 1000,
    keyLimitNanos: undefined,
    userLimitNanos: undefined,
  };
}

test('without labels the gauge is the highest usage of the organisations that make calls', async () => {
  const { usage, spend, values } = rig(false);
  spend(ownerOf('acme'), 300);
  spend(ownerOf('umbrella'), 950);
  await usage.measure();
  assert.deepEqual(values(), { '': 0.95 });
});

test('with labels every organisation has its own value', async () => {
  const { usage, spend, values } = rig(true);
  spend(ownerOf('acme'), 300);
  spend(ownerOf('umbrella'), 950);
  await usage.measure();
  assert.deepEqual(values(), { acme: 0.3, umbrella: 0.95 });
});

test('an organisation without calls is not read again, and a new month begins at 0', async () => {
  const { clock, usage, spend, values, read } = rig(false);
  spend(ownerOf('acme'), 300);
  for (let round = 0; round < 5; round += 1) await usage.measure();
  assert.equal(read.length, 2);
  await clock.advance(40 * 86_400_000);
  assert.deepEqual(values(), { '': 0 });
});

test('one measurement reads a bounded number of budgets', async () => {
  const { usage, spend, read } = rig(false);
  for (let index = 0; index < 400; index += 1) spend(ownerOf(`org-${index}`), 1);
  await usage.measure();
  assert.equal(read.length, 50);
});
