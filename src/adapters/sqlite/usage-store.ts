// Usage on embedded storage. Reading is the common SQL; writing goes past Kysely with prepared statements,
// because every request leaves a record and a few microseconds each are all it may cost.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { UsageRecord } from '../../metering/usage-record.ts';
import type { UsageStore } from '../../metering/usage-store.ts';
import type { UsageRecordsTable } from '../sql/schema.ts';
import { type RollupRow, rollUp } from '../sql/usage-rollup.ts';
import { createUsageStore } from '../sql/usage-store.ts';
import type { SqliteStore } from './open-sqlite.ts';

export function createSqliteUsageStore(store: SqliteStore): UsageStore {
  let statements: Statements | undefined;
  return {
    ...createUsageStore(store.db, store.dialect),
    insertBatch: (records) =>
      store.withRaw((database) => {
        statements ??= prepare(database);
        return insertAll(database, statements, records);
      }),
  };
}

/** Bound by position: looking a name up for each of twenty columns would cost as much as the insert. */
const RECORD_COLUMNS = [
  'id',
  'request_id',
  'attempt',
  'organization_id',
  'key_id',
  'user_id',
  'provider',
  'model',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'reasoning_tokens',
  'cost_nanos',
  'category',
  'latency_ms',
  'status',
  'streamed',
  'estimated',
  'created_at',
] as const satisfies readonly (keyof UsageRecordsTable)[];

type Statements = { readonly insertRecord: StatementSync; readonly addRollup: StatementSync };

function prepare(database: DatabaseSync): Statements {
  return {
    insertRecord: database.prepare(`
      insert into usage_records (${RECORD_COLUMNS.join(', ')})
      values (${RECORD_COLUMNS.map(() => '?').join(', ')})
      on conflict (id) do nothing`),
    addRollup: database.prepare(`
      insert into usage_rollups (
        organization_id, hour_start, key_id, user_id, provider, model, category, attempts, failures,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nanos
      ) values (
        :organization_id, :hour_start, :key_id, :user_id, :provider, :model, :category, :attempts, :failures,
        :input_tokens, :output_tokens, :cache_read_tokens, :cache_write_tokens, :cost_nanos
      ) on conflict do update set
        attempts = attempts + excluded.attempts,
        failures = failures + excluded.failures,
        input_tokens = input_tokens + excluded.input_tokens,
        output_tokens = output_tokens + excluded.output_tokens,
        cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
        cost_nanos = cost_nanos + excluded.cost_nanos`),
  };
}

function insertAll(
  database: DatabaseSync,
  { insertRecord, addRollup }: Statements,
  records: readonly UsageRecord[],
): number {
  database.exec('begin immediate');
  try {
    const fresh = records.filter((record) => insert(insertRecord, record));
    for (const row of rollUp(fresh)) addRollup.run(row satisfies RollupRow);
    database.exec('commit');
    return fresh.length;
  } catch (cause) {
    if (database.isTransaction) database.exec('rollback');
    throw cause;
  }
}

/** True when the record is new; the values are in the order of RECORD_COLUMNS. */
function insert(statement: StatementSync, record: UsageRecord): boolean {
  const { changes } = statement.run(
    record.id,
    record.requestId,
    record.attempt,
    record.organizationId,
    record.keyId,
    record.userId ?? null,
    record.provider,
    record.model,
    record.inputTokens,
    record.outputTokens,
    record.cacheReadTokens,
    record.cacheWriteTokens,
    record.cacheWrite1hTokens,
    record.reasoningTokens,
    record.costNanos,
    record.category ?? null,
    Math.round(record.latencyMs),
    record.status,
    record.streamed ? 1 : 0,
    record.estimated ? 1 : 0,
    record.createdAt,
  );
  return changes === 1;
}
