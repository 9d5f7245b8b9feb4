// The budgets of embedded storage, written inside the transaction that inserts usage: what was spent, which thresholds
// that passed, and the holds of attempts that have not ended. Prepared statements, because it is part of every batch.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { createMonthCache } from '../../kernel/calendar-month.ts';
import type { BudgetHold } from '../../metering/budget-hold.ts';
import type { CrossedThreshold } from '../../metering/budget-threshold.ts';
import type { UsageRecord } from '../../metering/usage-record.ts';
import type { HoldChanges } from '../../metering/usage-store.ts';
import { HOLD_COLUMNS, toHoldRow } from '../sql/budget-hold-row.ts';
import {
  type Posting,
  passedThresholds,
  postingsOf,
  type Spending,
} from '../sql/budget-posting.ts';

export type BudgetBooks = {
  /** The month a record counts against: its own word, else the one it was made in, in UTC. */
  monthOf(record: UsageRecord): number;
  post(spendings: readonly Spending[]): readonly CrossedThreshold[];
  changeHolds(changes: HoldChanges): void;
};

export function prepareBudgetBooks(database: DatabaseSync): BudgetBooks {
  const post = database.prepare(`
    insert into budget_periods (organization_id, month, kind, scope_id, posted_nanos) values (?, ?, ?, ?, ?)
    on conflict do update set posted_nanos = posted_nanos + excluded.posted_nanos
    returning posted_nanos`);
  const told = database.prepare(`
    insert into budget_alerts (organization_id, month, kind, scope_id, percent, created_at)
    values (?, ?, ?, ?, ?, unixepoch() * 1000) on conflict do nothing`);
  const limits = prepareLimits(database);
  const monthAt = createMonthCache();
  const open = database.prepare(openSql());
  const close = database.prepare('delete from budget_holds where id = ?');

  function postOne(posting: Posting): readonly CrossedThreshold[] {
    const { organizationId, month, kind, scopeId, nanos } = posting;
    const spentNanos = integer(post.get(organizationId, month, kind, scopeId, nanos));
    const limitNanos = limits(posting);
    if (limitNanos === undefined) return [];
    return passedThresholds(limitNanos, spentNanos - nanos, spentNanos)
      .filter((percent) => told.run(organizationId, month, kind, scopeId, percent).changes === 1)
      .map((percent) => ({
        organizationId,
        month,
        kind,
        scopeId,
        percent,
        limitNanos,
        spentNanos,
      }));
  }

  return {
    monthOf: ({ budgetMonth, createdAt }) => budgetMonth ?? monthAt(createdAt, 'UTC').number,
    post: (spendings) => postingsOf(spendings).flatMap(postOne),
    changeHolds({ opened, closed }) {
      for (const id of closed) close.run(id);
      for (const hold of opened) open.run(...holdValues(hold), hold.id);
    },
  };
}

/** A hold that comes again after its attempt was settled is not opened a second time. */
function openSql(): string {
  return `
    insert into budget_holds (${HOLD_COLUMNS.join(', ')})
    select ${HOLD_COLUMNS.map(() => '?').join(', ')}
    where not exists (select 1 from usage_records where id = ?) on conflict do nothing`;
}

function holdValues(hold: BudgetHold): SQLInputValue[] {
  const row = toHoldRow(hold);
  return HOLD_COLUMNS.map((column) => row[column] ?? null);
}

/** What a budget allows now; undefined where there is none. */
function prepareLimits(database: DatabaseSync) {
  const statements: Readonly<Record<Posting['kind'], StatementSync>> = {
    organization: database.prepare('select monthly_budget_nanos from organizations where id = ?'),
    key: database.prepare(
      'select monthly_budget_nanos from api_keys where organization_id = ? and id = ?',
    ),
    user: database.prepare('select user_monthly_budget_nanos from organizations where id = ?'),
  };
  return ({ kind, organizationId, scopeId }: Posting): number | undefined => {
    const names = kind === 'key' ? [organizationId, scopeId] : [organizationId];
    const row = statements[kind].get(...names);
    const [limit] = row ? Object.values(row) : [];
    return typeof limit === 'number' ? limit : undefined;
  };
}

function integer(row: Record<string, unknown> | undefined): number {
  const [value] = row ? Object.values(row) : [];
  if (typeof value !== 'number') throw new Error('the store returned no sum of a budget');
  return value;
}
