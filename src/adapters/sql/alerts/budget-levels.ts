// The crossed thresholds of budgets on either SQL store. The index over the time of the crossing bounds the cost of reading
// the recent ones, whatever the number of organisations.

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { BudgetOfAlert } from '../../../alerts/alert.ts';
import type { BudgetLevels } from '../../../alerts/budget-levels.ts';
import type { Schema } from '../schema.ts';
import { toNumber, toOptionalNumber } from '../sql-dialect.ts';

type Int = number | string;

type StandingRow = {
  readonly organization_id: string;
  readonly month: Int;
  readonly kind: string;
  readonly scope_id: string;
  readonly posted_nanos: Int;
  readonly limit_nanos: Int | null;
};

export function createBudgetLevels(db: Kysely<Schema>): BudgetLevels {
  return {
    async crossedSince(since, limit) {
      const { rows } = await sql<StandingRow & { percent: Int; created_at: Int }>`
        select a.organization_id, a.month, a.kind, a.scope_id, a.percent, a.created_at, p.posted_nanos,
          ${limitOf(sql`a`)} as limit_nanos
        from budget_alerts a join budget_periods p on p.organization_id = a.organization_id
          and p.month = a.month and p.kind = a.kind and p.scope_id = a.scope_id
        where a.created_at >= ${since} order by a.created_at, a.organization_id, a.percent limit ${limit}`.execute(
        db,
      );
      return rows.map((row) => ({
        ...budgetOf(row),
        percent: toNumber(row.percent),
        createdAt: toNumber(row.created_at),
        spentNanos: toNumber(row.posted_nanos),
        limitNanos: toOptionalNumber(row.limit_nanos),
      }));
    },
    async standings(budgets) {
      if (budgets.length === 0) return [];
      const { rows } = await sql<StandingRow & { time_zone: string }>`
        select p.organization_id, p.month, p.kind, p.scope_id, p.posted_nanos, o.time_zone,
          ${limitOf(sql`p`)} as limit_nanos
        from budget_periods p join organizations o on o.id = p.organization_id and o.deleted_at is null
        where (p.organization_id, p.month, p.kind, p.scope_id) in (values ${sql.join(budgets.map(keyOf))})`.execute(
        db,
      );
      const found = new Map(rows.map((row) => [nameOf(budgetOf(row)), row]));
      return budgets.flatMap((budget) => {
        const row = found.get(nameOf(budget));
        if (!row) return [];
        return {
          budget,
          spentNanos: toNumber(row.posted_nanos),
          limitNanos: toOptionalNumber(row.limit_nanos),
          timeZone: row.time_zone,
        };
      });
    },
  };
}

type BudgetName = Omit<BudgetOfAlert, 'percent'>;

function limitOf(of: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case ${of}.kind
    when 'organization' then (select monthly_budget_nanos from organizations where id = ${of}.organization_id)
    when 'key' then (select monthly_budget_nanos from api_keys
      where id = ${of}.scope_id and organization_id = ${of}.organization_id)
    else (select user_monthly_budget_nanos from organizations where id = ${of}.organization_id) end`;
}

function keyOf({ organizationId, month, kind, scopeId }: BudgetName): RawBuilder<unknown> {
  return sql`(${organizationId}, cast(${month} as integer), ${kind}, ${scopeId})`;
}

function budgetOf(row: StandingRow): BudgetName {
  return {
    organizationId: row.organization_id,
    month: toNumber(row.month),
    kind: row.kind,
    scopeId: row.scope_id,
  };
}

function nameOf({ organizationId, month, kind, scopeId }: BudgetName): string {
  return JSON.stringify([organizationId, month, kind, scopeId]);
}
