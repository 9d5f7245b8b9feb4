// Reads budgets from either SQL store. Costs are posted where usage is inserted.

import { type Kysely, sql } from 'kysely';
import type { AccountName } from '../../../metering/budgets/budget-account.ts';
import type { BudgetStanding, BudgetStore } from '../../../metering/budgets/budget-store.ts';
import type { Schema } from '../schema.ts';
import { toNumber, toOptionalNumber } from '../sql-dialect.ts';
import { toReservation } from './record-columns.ts';
import { hourStart } from './usage-rollup.ts';

export function createBudgetStore(db: Kysely<Schema>): BudgetStore {
  return {
    standing: (account) => standing(db, account),
    async openReservations() {
      const rows = await db
        .selectFrom('budget_reservations')
        .selectAll()
        .where('is_void', '=', 0)
        .orderBy('expires_at')
        .execute();
      return rows.map(toReservation);
    },
    async spentSince({ organizationId, kind, scopeId }, since) {
      const row = await db
        .selectFrom('usage_rollups')
        .select([
          sql<number | string>`cast(coalesce(sum(cost_nanos), 0) as bigint)`.as('cost'),
          sql<number | string | null>`min(hour_start)`.as('first'),
        ])
        .where('organization_id', '=', organizationId)
        .where('hour_start', '>=', hourStart(since))
        .$if(kind === 'key', (query) => query.where('key_id', '=', scopeId))
        .$if(kind === 'user', (query) => query.where('user_id', '=', scopeId))
        .executeTakeFirstOrThrow();
      return { costNanos: toNumber(row.cost), firstAt: toOptionalNumber(row.first) };
    },
  };
}

/** Allotments count as reserved when the store decides, but no attempt has reserved them: they are left out here. */
async function standing(db: Kysely<Schema>, account: AccountName): Promise<BudgetStanding> {
  const { organizationId, month, kind, scopeId } = account;
  const { rows } = await sql<{ posted: number | string; reserved: number | string }>`
    select p.posted_nanos as posted, p.reserved_nanos - (
      select coalesce(sum(a.amount_nanos), 0) from budget_allotments a
      where a.organization_id = p.organization_id and a.month = p.month and a.kind = p.kind
        and a.scope_id = p.scope_id) as reserved
    from budget_periods p
    where p.organization_id = ${organizationId} and p.month = ${month} and p.kind = ${kind}
      and p.scope_id = ${scopeId}`.execute(db);
  const [row] = rows;
  if (!row) return { postedNanos: 0, reservedNanos: 0 };
  return { postedNanos: toNumber(row.posted), reservedNanos: toNumber(row.reserved) };
}
