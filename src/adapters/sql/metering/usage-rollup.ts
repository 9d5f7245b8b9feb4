// Adds up a batch of usage records by hour and combination, so that a batch of a thousand records changes a handful of
// roll-up rows.

import type { Insertable } from 'kysely';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import type { UsageRollupsTable } from '../schema.ts';

export const HOUR_MS = 3_600_000;

/** The statuses of attempts that succeeded or were cancelled by their caller. */
export const STATUSES_OF_NO_FAILURE = ['OK', 'CLIENT_GONE'] as const;
const IS_NO_FAILURE: ReadonlySet<string> = new Set(STATUSES_OF_NO_FAILURE);

export type RollupRow = Insertable<UsageRollupsTable>;

/** Ordered by key, so that two writers lock the same rows in the same order. */
export function rollUp(records: readonly UsageRecord[]): readonly RollupRow[] {
  const rows = new Map<string, RollupRow>();
  let last: UsageRecord | undefined;
  let row: RollupRow | undefined;
  for (const record of records) {
    // Consecutive records often share a row: composing and looking up a key costs more than adding the record.
    if (!row || !last || !shareRow(last, record)) row = rowFor(rows, record);
    last = record;
    add(row, record);
  }
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** The rows that subtract records from the sums. */
export function takeBack(records: readonly UsageRecord[]): readonly RollupRow[] {
  return rollUp(records).map((row) => ({
    ...row,
    attempts: -row.attempts,
    failures: -row.failures,
    input_tokens: -row.input_tokens,
    output_tokens: -row.output_tokens,
    cache_read_tokens: -row.cache_read_tokens,
    cache_write_tokens: -row.cache_write_tokens,
    cost_nanos: -row.cost_nanos,
  }));
}

export function hourStart(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

function shareRow(one: UsageRecord, other: UsageRecord): boolean {
  return (
    one.organizationId === other.organizationId &&
    one.keyId === other.keyId &&
    one.userId === other.userId &&
    one.provider === other.provider &&
    one.model === other.model &&
    one.category === other.category &&
    hourStart(one.createdAt) === hourStart(other.createdAt)
  );
}

function rowFor(rows: Map<string, RollupRow>, record: UsageRecord): RollupRow {
  const key = keyOf(record);
  const known = rows.get(key);
  if (known) return known;
  const made = newRow(record);
  rows.set(key, made);
  return made;
}

/** Without any usage yet. */
function newRow(record: UsageRecord): RollupRow {
  return {
    organization_id: record.organizationId,
    hour_start: hourStart(record.createdAt),
    key_id: record.keyId,
    user_id: record.userId ?? '',
    provider: record.provider,
    model: record.model,
    category: record.category ?? '',
    attempts: 0,
    failures: 0,
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cost_nanos: 0,
  };
}

function keyOf(record: UsageRecord): string {
  const { organizationId, keyId, userId = '', provider, model, category = '' } = record;
  return `${organizationId}\n${hourStart(record.createdAt)}\n${keyId}\n${userId}\n${provider}\n${model}\n${category}`;
}

function add(row: RollupRow, record: UsageRecord): void {
  row.attempts += 1;
  row.failures += IS_NO_FAILURE.has(record.status) ? 0 : 1;
  row.input_tokens += record.inputTokens;
  row.output_tokens += record.outputTokens;
  row.cache_read_tokens += record.cacheReadTokens;
  row.cache_write_tokens += record.cacheWriteTokens + record.cacheWrite1hTokens;
  row.cost_nanos += record.costNanos;
}
