// The rows that sums of usage are made of: the roll-ups of the whole hours in a range, and the single records where the range
// begins or ends within an hour. The cost of reading records grows with their number, so `covered` widens a range to the
// whole hour if the hour has many; callers ask it first.

import { type Expression, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { UsageRange } from '../../../metering/usage/usage-store.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import { HOUR_MS, hourStart, STATUSES_OF_NO_FAILURE } from './usage-rollup.ts';

/** Reading these takes a store in this process a few milliseconds, in which it serves no other statement. */
const MAX_RECORDS = 2000;

/** A 64-bit number as the drivers return it. */
type Amount = number | string | bigint;

/** A roll-up row, or a single record in the same shape; `at` is the hour or the record's timestamp. */
export type UsedRow = {
  key_id: string;
  user_id: string;
  provider: string;
  model: string;
  category: string;
  at: Amount;
  attempts: Amount;
  failures: Amount;
  input_tokens: Amount;
  output_tokens: Amount;
  cache_read_tokens: Amount;
  cache_write_tokens: Amount;
  cost_nanos: Amount;
};

type Used = SelectQueryBuilder<Schema, 'usage_rollups', UsedRow>;

/** The range, widened so that its sums can be read at a bounded cost. */
export async function coveredRange(
  db: Kysely<Schema>,
  range: UsageRange,
  now: number,
): Promise<UsageRange> {
  // There are no records after now, so the current hour can be taken whole.
  const to = range.to >= now ? hourEnd(range.to) : range.to;
  const hours = [range.from, to].filter((at) => at % HOUR_MS !== 0).map(hourStart);
  if (hours.length === 0) return { ...range, to };
  const rows = await db
    .selectFrom('usage_rollups')
    .select(['hour_start', (select) => select.fn.sum('attempts').as('attempts')])
    .where('hour_start', 'in', hours)
    .$if(range.organizationId !== undefined, (query) =>
      query.where('organization_id', '=', range.organizationId ?? ''),
    )
    .groupBy('hour_start')
    .execute();
  const full = new Set(
    rows
      .filter(({ attempts }) => Number(attempts) > MAX_RECORDS)
      .map((row) => toNumber(row.hour_start)),
  );
  return {
    ...range,
    from: full.has(hourStart(range.from)) ? hourStart(range.from) : range.from,
    to: full.has(hourStart(to)) ? hourEnd(to) : to,
  };
}

/** All usage in the range, exactly. */
export function usedIn(db: Kysely<Schema>, range: UsageRange): Used {
  const [from, to] = [
    Math.min(hourEnd(range.from), range.to),
    Math.max(hourStart(range.to), range.from),
  ];
  const whole = rollupsBetween(db, { ...range, from, to });
  const begins = { ...range, to: from };
  const ends = { ...range, from: Math.max(from, to) };
  return [begins, ends]
    .filter((edge) => edge.from < edge.to)
    .reduce<Used>((query, edge) => query.unionAll(recordsBetween(db, edge)), whole);
}

function rollupsBetween(db: Kysely<Schema>, range: UsageRange): Used {
  return db
    .selectFrom('usage_rollups')
    .select([
      'key_id',
      'user_id',
      'provider',
      'model',
      'category',
      'hour_start as at',
      'attempts',
      'failures',
      'input_tokens',
      'output_tokens',
      'cache_read_tokens',
      'cache_write_tokens',
      'cost_nanos',
    ])
    .where('hour_start', '>=', range.from)
    .where('hour_start', '<', range.to)
    .$if(range.organizationId !== undefined, (query) =>
      query.where('organization_id', '=', range.organizationId ?? ''),
    );
}

/** The index on records begins with the organisation; the roll-ups of the hour list the organisations. */
function recordsBetween(db: Kysely<Schema>, range: UsageRange): Expression<UsedRow> {
  const organizations = db
    .selectFrom('usage_rollups')
    .select('organization_id')
    .distinct()
    .where('hour_start', '=', hourStart(range.from));
  return db
    .selectFrom('usage_records')
    .select((select) => [
      'key_id',
      present(select.ref('user_id')).as('user_id'),
      'provider',
      'model',
      present(select.ref('category')).as('category'),
      'created_at as at',
      sql<number>`1`.as('attempts'),
      sql<number>`case when ${select('status', 'in', STATUSES_OF_NO_FAILURE)} then 0 else 1 end`.as(
        'failures',
      ),
      'input_tokens',
      'output_tokens',
      'cache_read_tokens',
      sql<number>`cache_write_tokens + cache_write_1h_tokens`.as('cache_write_tokens'),
      'cost_nanos',
    ])
    .where('created_at', '>=', range.from)
    .where('created_at', '<', range.to)
    .where(
      'organization_id',
      'in',
      range.organizationId === undefined ? organizations : [range.organizationId],
    );
}

function present(column: Expression<string | null>) {
  return sql<string>`coalesce(${column}, '')`;
}

/** `at` itself if an hour begins there. */
function hourEnd(at: number): number {
  return hourStart(at + HOUR_MS - 1);
}
