// Writes the budgets of embedded storage in the transaction that inserts usage: posted costs, crossed thresholds and the
// reservations of attempts that have not ended. Prepared statements, because every batch runs them.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { CrossedThreshold } from '../../metering/budgets/budget-threshold.ts';
import type { ReservationChanges } from '../../metering/usage/usage-store.ts';
import {
  type Posting,
  passedThresholds,
  postingsOf,
  type Spending,
} from '../sql/metering/budget-posting.ts';
import { RESERVATION_COLUMNS, RESERVATION_LAYOUT } from '../sql/metering/record-columns.ts';
import { inBatches, ROWS_PER_STATEMENT } from './row-batches.ts';

export type BudgetStatements = {
  post(spendings: readonly Spending[]): readonly CrossedThreshold[];
  changeReservations(changes: Partial<ReservationChanges>): void;
};

export function prepareBudgetStatements(database: DatabaseSync): BudgetStatements {
  const postOne = database.prepare(postSql(1));
  const postMany = database.prepare(postSql(ROWS_PER_STATEMENT));
  const recordThreshold = database.prepare(`
    insert into budget_alerts (organization_id, month, kind, scope_id, percent, created_at)
    values (?, ?, ?, ?, ?, unixepoch() * 1000) on conflict do nothing`);
  const open = database.prepare(openSql());
  const close = database.prepare('delete from budget_reservations where id = ?');

  /** Posts the amounts and returns each budget's new posted amount and limit. */
  function standingsAfter(postings: readonly Posting[]): readonly Record<string, unknown>[] {
    const values = postings.map(valuesOf);
    if (postings.length === ROWS_PER_STATEMENT) return postMany.all(...values.flat());
    return values.flatMap((each) => postOne.all(...each));
  }

  function post(postings: readonly Posting[]): readonly CrossedThreshold[] {
    return standingsAfter(postings).flatMap((row) => {
      const { limit_nanos: limitNanos, posted_nanos: spentNanos } = row;
      if (typeof spentNanos !== 'number')
        throw new Error('the store returned no posted amount for a budget');
      // Most budgets are far from their limit, and a budget without one has no thresholds.
      if (typeof limitNanos !== 'number' || spentNanos < limitNanos / 2) return [];
      const posting = postings.find((each) => isOf(each, row));
      return posting ? crossedBy(posting, limitNanos, spentNanos) : [];
    });
  }

  function crossedBy(
    { organizationId, month, kind, scopeId, nanos }: Posting,
    limitNanos: number,
    spentNanos: number,
  ): readonly CrossedThreshold[] {
    return passedThresholds(limitNanos, spentNanos - nanos, spentNanos)
      .filter(
        (percent) =>
          recordThreshold.run(organizationId, month, kind, scopeId, percent).changes === 1,
      )
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
    post: (spendings) => [...inBatches(postingsOf(spendings))].flatMap(post),
    changeReservations({ opened = [], closed = [], voided = [] }) {
      for (const id of closed) close.run(id);
      // The only writer is this process: no late statement can arrive, so a void is a plain delete.
      for (const { id } of voided) close.run(id);
      for (const reservation of opened)
        open.run(...RESERVATION_LAYOUT.values(reservation), reservation.id);
    },
  };
}

/** A reservation that is delivered again after its attempt was settled is not stored. */
function openSql(): string {
  return `
    insert or rollback into budget_reservations (${RESERVATION_COLUMNS.join(', ')})
    select ${RESERVATION_COLUMNS.map(() => '?').join(', ')}
    where not exists (select 1 from usage_records where id = ?) on conflict do nothing`;
}

/** Returns limits as well: a batch of many organisations posts to many budgets. */
function postSql(rows: number): string {
  return `
    insert or rollback into budget_periods (organization_id, month, kind, scope_id, posted_nanos)
    values ${Array.from({ length: rows }, () => '(?, ?, ?, ?, ?)').join(', ')}
    on conflict do update set posted_nanos = posted_nanos + excluded.posted_nanos
    returning organization_id, month, kind, scope_id, posted_nanos, case kind
      when 'organization' then (select monthly_budget_nanos from organizations o where o.id = organization_id)
      when 'key' then (select k.monthly_budget_nanos from api_keys k
        where k.id = scope_id and k.organization_id = budget_periods.organization_id)
      else (select user_monthly_budget_nanos from organizations o where o.id = organization_id)
    end as limit_nanos`;
}

function valuesOf({ organizationId, month, kind, scopeId, nanos }: Posting): SQLInputValue[] {
  return [organizationId, month, kind, scopeId, nanos];
}

function isOf(posting: Posting, row: Record<string, unknown>): boolean {
  const { organizationId, month, kind, scopeId } = posting;
  const { organization_id, scope_id } = row;
  return (
    organization_id === organizationId &&
    scope_id === scopeId &&
    row['kind'] === kind &&
    row['month'] === month
  );
}
