// Usage on PostgreSQL. Reading is the common SQL; a batch is written by one statement, however large: columns travel
// as arrays instead of a parameter per value, and the sums are made of exactly the rows that were new.
//
// Two servers may write at once. Each takes first its records, in the order of their ids, and then the sums, in the
// order of their keys, so that one may wait for the other but never both.

import { type Kysely, sql } from 'kysely';
import type { UsageRecord } from '../../metering/usage-record.ts';
import type { UsageStore } from '../../metering/usage-store.ts';
import type { Schema, UsageRecordsTable } from '../sql/schema.ts';
import type { SqlDialect } from '../sql/sql-dialect.ts';
import { HOUR_MS, STATUSES_OF_NO_FAILURE } from '../sql/usage-rollup.ts';
import { toUsageRow } from '../sql/usage-row.ts';
import { createUsageReading } from '../sql/usage-store.ts';

export function createPostgresUsageStore(db: Kysely<Schema>, _dialect?: SqlDialect): UsageStore {
  return {
    ...createUsageReading(db),
    async insertBatch(records) {
      if (records.length === 0) return { stored: 0, crossed: [] };
      const { rows } = await insertNew(records).execute(db);
      return { stored: rows[0]?.stored ?? 0, crossed: [] };
    },
  };
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
] as const satisfies readonly (readonly [keyof UsageRecordsTable, 'text' | 'bigint'])[];

const NAMES = sql.raw(COLUMNS.map(([name]) => name).join(', '));
const ROLLUP_KEY = sql.raw(
  'organization_id, hour_start, provider, model, user_id, category, key_id',
);
const HOUR_START = sql.raw(`created_at / ${HOUR_MS} * ${HOUR_MS}`);
const NO_FAILURES = sql.raw(STATUSES_OF_NO_FAILURE.map((status) => `'${status}'`).join(', '));

/**
 * Arguments: one array per column, in the order of COLUMNS. Returns `stored`, how many records were new.
 * A record that was stored before, or stands twice in the batch, counts nowhere a second time.
 */
function insertNew(records: readonly UsageRecord[]) {
  return sql<{ stored: number }>`
    with fresh as (
      insert into usage_records (${NAMES})
      select ${NAMES} from unnest(${sql.join(columnArrays(records))}) as batch (${NAMES})
      order by id
      on conflict (id) do nothing
      returning *
    ), summed as (
      insert into usage_rollups as known (
        ${ROLLUP_KEY}, attempts, failures, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nanos)
      select organization_id, ${HOUR_START} as hour_start, provider, model, coalesce(user_id, '') as user_id,
        coalesce(category, '') as category, key_id, count(*), count(*) filter (where status not in (${NO_FAILURES})),
        sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
        sum(cache_write_tokens + cache_write_1h_tokens), sum(cost_nanos)
      from fresh group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
      on conflict (${ROLLUP_KEY}) do update set
        attempts = known.attempts + excluded.attempts,
        failures = known.failures + excluded.failures,
        input_tokens = known.input_tokens + excluded.input_tokens,
        output_tokens = known.output_tokens + excluded.output_tokens,
        cache_read_tokens = known.cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = known.cache_write_tokens + excluded.cache_write_tokens,
        cost_nanos = known.cost_nanos + excluded.cost_nanos
    )
    select count(*) as stored from fresh`;
}

function columnArrays(records: readonly UsageRecord[]) {
  const rows = records.map(toUsageRow);
  return COLUMNS.map(
    ([name, type]) =>
      sql`${arrayLiteral(rows.map((row) => row[name] ?? null))}::${sql.raw(type)}[]`,
  );
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
