// Budgets that servers share, on PostgreSQL. The functions in ../functions decide; this file only calls them. A batch of
// reservations goes past Kysely as one prepared statement with one value, because every request waits for it.

import type {
  AllotmentGrant,
  AllotmentRequest,
  ReservationRefusal,
  SharedBudgetStore,
} from '../../../metering/budgets/shared-budget-store.ts';
import { createBudgetStore } from '../../sql/metering/budget-store.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { compositeArray } from '../statements/composite-array.ts';
import { reservationLines, type StoredRow, toInserted } from './usage-store.ts';

export function createSharedBudgetStore(
  store: Pick<PostgresStore, 'db' | 'run' | 'call'>,
): SharedBudgetStore {
  return {
    ...createBudgetStore(store.db),
    async reserveAll(reservations, now) {
      const values = [reservationLines(reservations), String(now)];
      const rows = await store.call(RESERVE, values);
      return rows.map(([refusal]) => JSON.parse(refusal ?? '') as ReservationRefusal);
    },
    renewAllotments(serverId, requests, version, now) {
      const wishes = compositeArray(requests.map(toAllotmentLine));
      return store.run<AllotmentGrant>(RENEW, [serverId, wishes, version, now]);
    },
    async settleExpired(now, standbyExpiredBy, max) {
      const [row] = await store.run<StoredRow>(SETTLE, [now, standbyExpiredBy, max]);
      return toInserted(row).crossed;
    },
  };
}

const RESERVE = {
  name: 'spillway_reserve_budgets',
  text: `select json_build_object('id', id, 'answer', answer, 'scope', budget, 'limitNanos', limit_nanos,
    'spentNanos', spent_nanos) from reserve_budgets($1::reservation_line[], $2::bigint)`,
};
const RENEW = `select id, amount_nanos as "amountNanos", is_short as "isShort"
  from renew_allotments($1::text, $2::allotment_line[], $3::bigint, $4::bigint)`;
const SETTLE = 'select stored, crossed from settle_expired($1::bigint, $2::bigint, $3::integer)';

/** The fields of `allotment_line`. */
function toAllotmentLine(request: AllotmentRequest): readonly (string | number)[] {
  const { id, account, purpose, floorNanos, wantedNanos, expiresAt } = request;
  const { organizationId, month, kind, scopeId } = account;
  return [id, organizationId, month, kind, scopeId, purpose, floorNanos, wantedNanos, expiresAt];
}
