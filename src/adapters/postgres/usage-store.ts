// Usage on PostgreSQL. Reading is the common SQL; a batch is written by one statement, however large: records travel as
// one text of JSON. What becomes of them, in sums and in budgets, the store's own function decides (`store_usage`), so
// that it is one transaction and one round trip.

import type { CrossedThreshold } from '../../metering/budget-threshold.ts';
import type { UsageRecord } from '../../metering/usage-record.ts';
import type { InsertedUsage, UsageStore } from '../../metering/usage-store.ts';
import { toHoldJson } from '../sql/budget-hold-row.ts';
import type { UsageRecordsTable } from '../sql/schema.ts';
import { createUsageReading } from '../sql/usage-store.ts';
import { jsonRows } from './json-rows.ts';
import type { PostgresStore } from './open-postgres.ts';

export function createPostgresUsageStore(store: Pick<PostgresStore, 'db' | 'run'>): UsageStore {
  return {
    ...createUsageReading(store.db),
    async insertBatch(records, { opened, closed } = { opened: [], closed: [] }) {
      if (records.length + opened.length + closed.length === 0) return { stored: 0, crossed: [] };
      const [row] = await store.run<StoredRow>(STORE_USAGE, [
        jsonRows(records.map(valuesOf)),
        `[${opened.map(toHoldJson).join(',')}]`,
        arrayLiteral(closed),
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

/** Each value of a record, in the order of the fields of `usage_line`, with the type of its field. */
const FIELDS = [
  ['id', 'text'],
  ['request_id', 'text'],
  ['attempt', 'bigint'],
  ['organization_id', 'text'],
  ['key_id', 'text'],
  ['user_id', 'text'],
  ['provider', 'text'],
  ['model', 'text'],
  ['input_tokens', 'bigint'],
  ['output_tokens', 'bigint'],
  ['cache_read_tokens', 'bigint'],
  ['cache_write_tokens', 'bigint'],
  ['cache_write_1h_tokens', 'bigint'],
  ['reasoning_tokens', 'bigint'],
  ['cost_nanos', 'bigint'],
  ['category', 'text'],
  ['latency_ms', 'bigint'],
  ['status', 'text'],
  ['streamed', 'bigint'],
  ['estimated', 'bigint'],
  ['created_at', 'bigint'],
  ['budget_month', 'integer'],
] as const satisfies readonly (readonly [keyof UsageRecordsTable, 'text' | 'bigint' | 'integer'])[];

const VALUES = FIELDS.map(([, type], place) =>
  type === 'text' ? `line ->> ${place}` : `(line ->> ${place})::${type}`,
).join(', ');

/** Arguments: the records, the holds that were opened, and the attempts whose holds are closed. */
const STORE_USAGE = `
  select stored, crossed from store_usage(
    (select array_agg(row(${VALUES})::usage_line) from jsonb_array_elements($1::jsonb) as each (line)),
    $2::jsonb, $3::text[], (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

/** In the order of FIELDS. */
function valuesOf(record: UsageRecord): readonly (string | number | undefined)[] {
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

/** The text of an array of ids. */
function arrayLiteral(ids: readonly string[]): string {
  return `{${ids.map(element).join(',')}}`;
}

function element(id: string): string {
  return `"${id.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
