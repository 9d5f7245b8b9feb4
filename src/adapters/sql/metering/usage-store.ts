// Reads usage on either SQL store. Each store writes in its own way, because every request writes a record.

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  UsageGrouping,
  UsageRange,
  UsageStore,
  UsageSum,
} from '../../../metering/usage/usage-store.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import { toUsageRecord } from './record-columns.ts';
import { HOUR_MS } from './usage-rollup.ts';
import { coveredRange, type UsedRow, usedIn } from './usage-sums.ts';

const DAY_MS = 24 * HOUR_MS;

export function createUsageReading(db: Kysely<Schema>): Omit<UsageStore, 'insertBatch' | 'forget'> {
  return {
    covered: (range, now) => coveredRange(db, range, now),
    total: async (range) => {
      const [row] = await sumQuery(db, range).execute();
      return row ? toTotals(row) : NOTHING;
    },
    sums: async (range, groupBy, maxGroups) => {
      const group = GROUP_EXPRESSIONS[groupBy];
      const query = sumQuery(db, range).select(group.as('group_value')).groupBy(group);
      const listed =
        groupBy === 'day'
          ? query
          : query.orderBy('cost_nanos', 'desc').orderBy('group_value').limit(maxGroups);
      const rows = await listed.execute();
      return order(
        rows.map((row) => ({ group: toGroup(groupBy, row.group_value), ...toTotals(row) })),
        groupBy,
      );
    },
    async list(page) {
      const { before } = page;
      const rows = await db
        .selectFrom('usage_records')
        .selectAll()
        .where('organization_id', '=', page.organizationId)
        .where('created_at', '>=', page.from)
        .where('created_at', '<', page.to)
        .$if(before !== undefined, (query) =>
          query.where(sql<boolean>`(created_at, id) < (${before?.createdAt}, ${before?.id})`),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .execute();
      return rows.map(toUsageRecord);
    },
  };
}

const GROUP_EXPRESSIONS: Readonly<Record<UsageGrouping, RawBuilder<string | number>>> = {
  model: sql<string>`model`,
  provider: sql<string>`provider`,
  user: sql<string>`user_id`,
  category: sql<string>`category`,
  key: sql<string>`key_id`,
  // Both stores divide integers to an integer here.
  day: sql`at / ${sql.lit(DAY_MS)}`,
};

type SummedColumn =
  | 'attempts'
  | 'failures'
  | 'input_tokens'
  | 'output_tokens'
  | 'cache_read_tokens'
  | 'cache_write_tokens'
  | 'cost_nanos';
type TotalsRow = Pick<UsedRow, SummedColumn>;

const NOTHING = Object.freeze({
  attempts: 0,
  failures: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costNanos: 0,
});

function sumQuery(db: Kysely<Schema>, range: UsageRange) {
  return db
    .selectFrom(usedIn(db, range).as('used'))
    .select([
      summed('attempts'),
      summed('failures'),
      summed('input_tokens'),
      summed('output_tokens'),
      summed('cache_read_tokens'),
      summed('cache_write_tokens'),
      summed('cost_nanos'),
    ]);
}

function summed<C extends SummedColumn>(column: C) {
  // PostgreSQL sums bigint to numeric, which may print a scale: it is cast back.
  return sql<number | string>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`.as(column);
}

function toTotals(row: TotalsRow): Omit<UsageSum, 'group'> {
  return {
    attempts: toNumber(row.attempts),
    failures: toNumber(row.failures),
    inputTokens: toNumber(row.input_tokens),
    outputTokens: toNumber(row.output_tokens),
    cacheReadTokens: toNumber(row.cache_read_tokens),
    cacheWriteTokens: toNumber(row.cache_write_tokens),
    costNanos: toNumber(row.cost_nanos),
  };
}

function toGroup(groupBy: UsageGrouping, value: string | number): string | number {
  return groupBy === 'day' ? toNumber(value) * DAY_MS : value;
}

function order(sums: readonly UsageSum[], groupBy: UsageGrouping): readonly UsageSum[] {
  if (groupBy === 'day') return sums.toSorted((a, b) => Number(a.group) - Number(b.group));
  return sums.toSorted((a, b) => b.costNanos - a.costNanos);
}
