// Budgets that servers share, on PostgreSQL. Its own functions decide (migration 0006); here they are only called, with
// one text of JSON for a whole batch, past Kysely, because every call asks.

import type { AccountName } from '../../../metering/budgets/budget-account.ts';
import type {
  ReservationRefusal,
  SharedBudgetStore,
} from '../../../metering/budgets/shared-budget-store.ts';
import { reservationsJson } from '../../sql/metering/budget-reservation-row.ts';
import { createBudgetStore } from '../../sql/metering/budget-store.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import type { TextRow } from '../statements/prepared-call.ts';
import { type StoredRow, toInserted } from './usage-store.ts';

export function createSharedBudgetStore(
  store: Pick<PostgresStore, 'db' | 'run' | 'call'>,
): SharedBudgetStore {
  const budgets = createBudgetStore(store.db);
  return {
    spentSince: (account, since) => budgets.spentSince(account, since),
    async standing(account) {
      const { organizationId, month, kind, scopeId } = account;
      const { postedNanos, reservedNanos } = await budgets.standing(account);
      const [row] = await store.run<{ set_aside: number }>(SET_ASIDE, [
        organizationId,
        month,
        kind,
        scopeId,
      ]);
      return { postedNanos, reservedNanos: Math.max(0, reservedNanos - (row?.set_aside ?? 0)) };
    },
    async reserveAll(reservations, now) {
      return (await store.call(RESERVE, [reservationsJson(reservations), String(now)])).map(
        toRefusal,
      );
    },
    async loseExpired(now, most) {
      const [row] = await store.run<StoredRow>(LOSE, [now, most]);
      return toInserted(row).crossed;
    },
    async renewReserves(serverId, accounts, now, until) {
      const wishes = JSON.stringify(accounts.map(toAccountRow));
      const rows = await store.run<ReserveRow>(RENEW, [serverId, wishes, now, until]);
      return rows.map((row) => ({
        organizationId: row.organization_id,
        month: row.month,
        kind: row.kind,
        scopeId: row.scope_id,
        amountNanos: row.amount_nanos,
      }));
    },
    async expireReserves(now) {
      await store.run(EXPIRE, [now]);
    },
  };
}

type ReserveRow = ReturnType<typeof toAccountRow> & { readonly amount_nanos: number };

const RESERVE = {
  name: 'spillway_reserve_budgets',
  text: 'select place, answer, budget, limit_nanos, spent_nanos from reserve_budgets($1::jsonb, $2::bigint)',
};

function toRefusal([place, answer, budget, limitNanos, spentNanos]: TextRow): ReservationRefusal {
  return {
    place: Number(place) - 1,
    answer: answer === 'exceeded' ? 'exceeded' : 'short',
    scope: budget === 'key' || budget === 'user' ? budget : 'organization',
    limitNanos: Number(limitNanos),
    spentNanos: Number(spentNanos),
  };
}

/** Counts as reserved and is not: it is given back as soon as anybody needs it. */
const SET_ASIDE = `
  select coalesce(sum(amount_nanos), 0)::bigint as set_aside from budget_allotments
  where organization_id = $1 and month = $2 and kind = $3 and scope_id = $4`;
const LOSE = 'select stored, crossed from lose_reservations($1::bigint, $2::integer)';
const RENEW = `
  select organization_id, month, kind, scope_id, amount_nanos
  from renew_allotments($1::text, $2::jsonb, $3::bigint, $4::bigint)`;
const EXPIRE = 'select expire_allotments($1::bigint)';

function toAccountRow({ organizationId, month, kind, scopeId }: AccountName) {
  return { organization_id: organizationId, month, kind, scope_id: scopeId };
}
