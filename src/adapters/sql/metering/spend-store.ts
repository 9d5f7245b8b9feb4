// The readings of money on either SQL store. Each statement reads one hour, one slice or one organisation, so that none
// grows with the number of requests.

import { type Kysely, sql } from 'kysely';
import type { SpendStore } from '../../../metering/spend/spend-store.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import { HOUR_MS, hourStart } from './usage-rollup.ts';

const DAY_MS = 24 * HOUR_MS;

/** `reads`: the connections of readings, where they are separate from the connections of requests. */
export function createSpendStore(db: Kysely<Schema>, reads: Kysely<Schema> = db): SpendStore {
  return {
    async rollUpHour(hour) {
      await sql`
        insert into usage_hours (hour_start, provider, model, attempts, cost_nanos)
        select hour_start, provider, model, sum(attempts), sum(cost_nanos)
        from usage_rollups where hour_start = ${hour}
        group by hour_start, provider, model
        on conflict (hour_start, provider, model)
        do update set attempts = excluded.attempts, cost_nanos = excluded.cost_nanos`.execute(db);
    },
    async hours(from, to) {
      const rows = await reads
        .selectFrom('usage_hours')
        .select(['hour_start', 'model', (select) => select.fn.sum('cost_nanos').as('cost')])
        .where('hour_start', '>=', from)
        .where('hour_start', '<', to)
        .groupBy(['hour_start', 'model'])
        .execute();
      return rows.map((row) => ({
        hourStart: toNumber(row.hour_start),
        model: row.model,
        costNanos: toNumber(row.cost),
      }));
    },
    async organizationDays(organizationId, from, to) {
      const day = sql<number | string>`hour_start - hour_start % ${sql.lit(DAY_MS)}`;
      const rows = await reads
        .selectFrom('usage_rollups')
        .select([day.as('day'), 'model', (select) => select.fn.sum('cost_nanos').as('cost')])
        .where('organization_id', '=', organizationId)
        .where('hour_start', '>=', from)
        .where('hour_start', '<', to)
        .groupBy([day, 'model'])
        .execute();
      return rows.map((row) => ({
        hourStart: toNumber(row.day),
        model: row.model,
        costNanos: toNumber(row.cost),
      }));
    },
    async spenders(month, after, limit) {
      const rows = await reads
        .selectFrom('budget_periods as period')
        .innerJoin('organizations as owner', 'owner.id', 'period.organization_id')
        .select([
          'period.organization_id',
          'period.posted_nanos',
          'period.reserved_nanos',
          'owner.name',
          'owner.time_zone',
          'owner.monthly_budget_nanos',
        ])
        .where('period.month', '=', month)
        // A literal, because only then is the partial index used.
        .where(sql<boolean>`period.kind = 'organization'`)
        .where('period.organization_id', '>', after)
        .orderBy('period.organization_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        organizationId: row.organization_id,
        name: row.name,
        timeZone: row.time_zone,
        budgetNanos: toNumber(row.monthly_budget_nanos),
        postedNanos: toNumber(row.posted_nanos),
        reservedNanos: toNumber(row.reserved_nanos),
      }));
    },
    async spentSince(organizationIds, since) {
      if (organizationIds.length === 0) return new Map();
      const rows = await reads
        .selectFrom('usage_rollups')
        .select([
          'organization_id',
          (select) => select.fn.sum('cost_nanos').as('cost'),
          (select) => select.fn.min('hour_start').as('first'),
        ])
        .where('organization_id', 'in', [...organizationIds])
        .where('hour_start', '>=', hourStart(since))
        .groupBy('organization_id')
        .execute();
      return new Map(
        rows.map((row) => [
          row.organization_id,
          { costNanos: toNumber(row.cost), firstAt: toNumber(row.first) },
        ]),
      );
    },
  };
}
