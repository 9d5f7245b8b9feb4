// Usage on PostgreSQL. Reading is the common SQL; a batch is written by one statement, however large: columns travel
// as arrays instead of a parameter per value. What becomes of them, in sums and in budgets, the store's own function
// decides (`store_usage`), so that it is one transaction and one round trip.

import type { CrossedThreshold } from '../../metering/budget-threshold.ts';
import type { UsageRecord } from '../../metering/usage-record.ts';
import type { InsertedUsage, UsageStore } from '../../metering/usage-store.ts';
import { toHoldJson } from '../sql/budget-hold-row.ts';
import type { UsageRecordsTable } from '../sql/schema.ts';
import { toUsageRow } from '../sql/usage-row.ts';
import { createUsageReading } from '../sql/usage-store.ts';
import type { PostgresStore } from './open-postgres.ts';

export function createPostgresUsageStore(store: Pick<PostgresStore, 'db' | 'run'>): UsageStore {
  return {
    ...createUsageReading(store.db),
    async insertBatch(records, { opened, closed } = { opened: [], closed: [] }) {
      if (records.length + opened.length + closed.length === 0) return { stored: 0, crossed: [] };
      const [row] = await store.run<StoredRow>(STORE_USAGE, [
        ...columnArrays(records),
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

const COLUMNS = [
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

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');

/** Arguments: one array per column, the holds that were opened, and the attempts whose holds are closed. */
const STORE_USAGE = `
  select stored, crossed from store_usage(
    (select array_agg(row(${NAMES})::usage_line) from unnest(${ARRAYS}) as batch (${NAMES})),
    $${COLUMNS.length + 1}::jsonb, $${COLUMNS.length + 2}::text[],
    (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

function columnArrays(records: readonly UsageRecord[]): readonly string[] {
  const rows = records.map(toUsageRow);
  return COLUMNS.map(([name]) => arrayLiteral(rows.map((row) => row[name] ?? null)));
}

/** The text of an array. Made here, because the driver would look at each value for its type again. */
function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: string | number | null): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
