// Adds up a batch of usage records by hour and combination before it is stored, so that a batch of a
// thousand records touches a handful of roll-up rows. Pure; both writers of usage share it.

import type { Insertable } from 'kysely';
import type { UsageRecord } from '../../metering/usage-record.ts';
import type { UsageRollupsTable } from './schema.ts';

export const HOUR_MS = 3_600_000;

/** What a record's status says of an attempt that went well, or that its caller gave up. */
const IS_NO_FAILURE: ReadonlySet<string> = new Set(['OK', 'CLIENT_GONE']);

export type RollupRow = Insertable<UsageRollupsTable>;

/** In the order of their keys: two writers that lock the same rows then lock them in the same order. */
export function rollUp(records: readonly UsageRecord[]): readonly RollupRow[] {
  const rows = new Map<string, RollupRow>();
  for (const record of records) {
    const row = newRow(record);
    const key = JSON.stringify(keyOf(row));
    const known = rows.get(key);
    rows.set(key, known ? add(known, row) : row);
  }
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

export function hourStart(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

function newRow(record: UsageRecord): RollupRow {
  return {
    organization_id: record.organizationId,
    hour_start: hourStart(record.createdAt),
    key_id: record.keyId,
    user_id: record.userId ?? '',
    provider: record.provider,
    model: record.model,
    category: record.category ?? '',
    attempts: 1,
    failures: IS_NO_FAILURE.has(record.status) ? 0 : 1,
    input_tokens: record.inputTokens,
    output_tokens: record.outputTokens,
    cache_read_tokens: record.cacheReadTokens,
    cache_write_tokens: record.cacheWriteTokens + record.cacheWrite1hTokens,
    cost_nanos: record.costNanos,
  };
}

function keyOf(row: RollupRow): readonly unknown[] {
  return [
    row.organization_id,
    row.hour_start,
    row.key_id,
    row.user_id,
    row.provider,
    row.model,
    row.category,
  ];
}

function add(a: RollupRow, b: RollupRow): RollupRow {
  return {
    ...a,
    attempts: a.attempts + b.attempts,
    failures: a.failures + b.failures,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    cost_nanos: a.cost_nanos + b.cost_nanos,
  };
}
