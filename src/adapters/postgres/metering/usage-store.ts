// Usage on PostgreSQL. Reading is the common SQL. A batch of any size is written by one call of `store_usage`, which takes the
// records as one value and updates roll-ups and budgets: one transaction, one round trip.

import type { BudgetReservation } from '../../../metering/budgets/budget-reservation.ts';
import type { CrossedThreshold } from '../../../metering/budgets/budget-threshold.ts';
import type { InsertedUsage, UsageStore } from '../../../metering/usage/usage-store.ts';
import { RESERVATION_LAYOUT, usageValues } from '../../sql/metering/record-columns.ts';
import { createUsageReading } from '../../sql/metering/usage-store.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { compositeArray, textArray } from '../statements/composite-array.ts';

export function createPostgresUsageStore(store: Pick<PostgresStore, 'db' | 'run'>): UsageStore {
  return {
    ...createUsageReading(store.db),
    async insertBatch(records, { opened = [], closed = [], voided = [] } = {}) {
      if (records.length + opened.length + closed.length + voided.length === 0)
        return { stored: 0, crossed: [] };
      const [row] = await store.run<StoredRow>(STORE_USAGE, [
        compositeArray(records.map((record) => usageValues(record))),
        reservationLines(opened),
        textArray(closed),
        reservationLines(voided),
      ]);
      return toInserted(row);
    },
    async forget(before, most) {
      return (await store.run(FORGET, [before, most])).length;
    },
  };
}

/** By organisation, because the index on usage_records begins with it. */
const FORGET = `
  delete from usage_records where id in (
    select old.id from organizations o cross join lateral (
      select id from usage_records r where r.organization_id = o.id and r.created_at < $1
      order by created_at limit $2
    ) old limit $2)
  returning id`;

/** The result row of `store_usage`. */
export type StoredRow = { readonly stored: number; readonly crossed: string | null };

export function toInserted(row: StoredRow | undefined): InsertedUsage {
  const crossed = row?.crossed == null ? [] : (JSON.parse(row.crossed) as CrossedThreshold[]);
  return { stored: row?.stored ?? 0, crossed };
}

const STORE_USAGE = `
  select stored, crossed from store_usage($1::usage_line[], $2::reservation_line[], $3::text[],
    $4::reservation_line[], (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

/** Reservations as values of `reservation_line[]`. */
export function reservationLines(reservations: readonly BudgetReservation[]): string {
  return compositeArray(reservations.map((reservation) => RESERVATION_LAYOUT.values(reservation)));
}
