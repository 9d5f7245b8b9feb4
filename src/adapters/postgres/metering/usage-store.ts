// Usage on PostgreSQL. Reading is the common SQL; a batch is written by one statement, however large: records travel as
// one value. What becomes of them, in sums and in budgets, the store's own function decides (`store_usage`), so
// that it is one transaction and one round trip.

import type { CrossedThreshold } from '../../../metering/budgets/budget-threshold.ts';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import { type InsertedUsage, type UsageStore } from '../../../metering/usage/usage-store.ts';
import { reservationsJson } from '../../sql/metering/budget-reservation-row.ts';
import { createUsageReading } from '../../sql/metering/usage-store.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { type CompositeValue, compositeArray, textArray } from '../statements/composite-array.ts';

export function createPostgresUsageStore(store: Pick<PostgresStore, 'db' | 'run'>): UsageStore {
  return {
    ...createUsageReading(store.db),
    async insertBatch(records, { opened = [], closed = [], voided = [] } = {}) {
      if (records.length + opened.length + closed.length + voided.length === 0)
        return { stored: 0, crossed: [] };
      const [row] = await store.run<StoredRow>(STORE_USAGE, [
        compositeArray(records.map(toUsageLine)),
        reservationsJson(opened),
        textArray(closed),
        reservationsJson(voided),
      ]);
      return toInserted(row);
    },
    async forget(before, most) {
      return (await store.run(FORGET, [before, most])).length;
    },
  };
}

/** Looked up by organisation, because that is the index there is. */
const FORGET = `
  delete from usage_records where id in (
    select old.id from organizations o cross join lateral (
      select id from usage_records r where r.organization_id = o.id and r.created_at < $1
      order by created_at limit $2
    ) old limit $2)
  returning id`;

/** What `store_usage` answers. */
export type StoredRow = { readonly stored: number; readonly crossed: string | null };

export function toInserted(row: StoredRow | undefined): InsertedUsage {
  const crossed = row?.crossed == null ? [] : (JSON.parse(row.crossed) as CrossedThreshold[]);
  return { stored: row?.stored ?? 0, crossed };
}

/** Arguments: the records, the reservations that were opened, the attempts whose reservations are closed, and the reservations that are void. */
const STORE_USAGE = `
  select stored, crossed from store_usage($1::usage_line[], $2::jsonb, $3::text[], $4::jsonb,
    (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

/** The fields of `usage_line`. */
function toUsageLine(record: UsageRecord): readonly CompositeValue[] {
  return [
    record.id,
    record.requestId,
    record.attempt,
    record.organizationId,
    record.keyId,
    record.userId,
    record.provider,
    record.model,
    record.inputTokens,
    record.outputTokens,
    record.cacheReadTokens,
    record.cacheWriteTokens,
    record.cacheWrite1hTokens,
    record.reasoningTokens,
    record.costNanos,
    record.category,
    // Measured intervals have fractions; the column does not.
    Math.round(record.latencyMs),
    record.status,
    record.streamed ? 1 : 0,
    record.estimated ? 1 : 0,
    record.createdAt,
    record.budgetMonth,
  ];
}
