// The contract of the port BudgetLevels. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BudgetLevels } from '../../../src/alerts/budget-levels.ts';

export type OpenedBudgetLevels = {
  readonly levels: BudgetLevels;
  /** A statement of the test, the same on either store. */
  run(statement: string): Promise<unknown>;
  close(): Promise<void>;
};

const BUDGET = { organizationId: 'acme', month: 202611, kind: 'organization', scopeId: '' };

export function budgetLevelsContract(
  adapter: string,
  open: (organizationId: string, monthlyBudgetNanos: number) => Promise<OpenedBudgetLevels>,
): void {
  describe(`the crossed thresholds of budgets on ${adapter}`, () => {
    let opened: OpenedBudgetLevels;
    before(async () => {
      opened = await open('acme', 1000);
      await opened.run(
        `insert into budget_periods (organization_id, month, kind, scope_id, posted_nanos)
         values ('acme', 202611, 'organization', '', 850), ('acme', 202611, 'user', 'u', 10)`,
      );
      for (const [percent, at] of [
        [80, 2000],
        [50, 1000],
      ])
        await opened.run(
          `insert into budget_alerts (organization_id, month, kind, scope_id, percent, created_at)
           values ('acme', 202611, 'organization', '', ${percent}, ${at})`,
        );
    });
    after(() => opened.close());

    it('crossings are listed since a time, oldest first, with spending and limit', async () => {
      const money = { spentNanos: 850, limitNanos: 1000 };
      assert.deepEqual(await opened.levels.crossedSince(1000, 10), [
        { ...BUDGET, percent: 50, createdAt: 1000, ...money },
        { ...BUDGET, percent: 80, createdAt: 2000, ...money },
      ]);
      assert.equal((await opened.levels.crossedSince(1001, 10)).length, 1);
      assert.equal((await opened.levels.crossedSince(0, 1)).length, 1);
    });

    it('returns the standings of the given budgets and leaves out an unknown budget', async () => {
      const organization = { ...BUDGET, percent: 80 };
      const user = { ...BUDGET, kind: 'user', scopeId: 'u', percent: 50 };
      const unknown = { ...BUDGET, organizationId: 'other', percent: 50 };
      const standings = await opened.levels.standings([organization, user, unknown]);
      assert.deepEqual(
        standings.map(({ budget, spentNanos, limitNanos }) => [budget, spentNanos, limitNanos]),
        [
          [organization, 850, 1000],
          [user, 10, undefined],
        ],
      );
      assert.deepEqual(await opened.levels.standings([]), []);
    });
  });
}
