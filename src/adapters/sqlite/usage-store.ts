// Usage on embedded storage. Reading is the common SQL; writing goes past Kysely with prepared statements,
// because every request leaves a record and a few microseconds each are all it may cost.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
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

/** A call into SQLite costs as much as a quarter of a row; beyond this many rows nothing is gained. */
const ROWS_TOGETHER = 25;

type Statements = {
  readonly insertOne: StatementSync;
  readonly insertMany: StatementSync;
  readonly addRollup: StatementSync;
};

function prepare(database: DatabaseSync): Statements {
  return {
    insertOne: database.prepare(insertSql(1)),
    insertMany: database.prepare(insertSql(ROWS_TOGETHER)),
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

function insertSql(rows: number): string {
  const row = `(${RECORD_COLUMNS.map(() => '?').join(', ')})`;
  return `
    insert into usage_records (${RECORD_COLUMNS.join(', ')})
    values ${Array.from({ length: rows }, () => row).join(', ')}
    on conflict (id) do nothing`;
}

function insertAll(
  database: DatabaseSync,
  statements: Statements,
  records: readonly UsageRecord[],
): number {
  database.exec('begin immediate');
  try {
    const fresh = insertFresh(database, statements, records);
    for (const row of rollUp(fresh)) statements.addRollup.run(row satisfies RollupRow);
    database.exec('commit');
    return fresh.length;
  } catch (cause) {
    if (database.isTransaction) database.exec('rollback');
    throw cause;
  }
}

/** Nearly always all of them are new. When some are not, it matters which: then they are taken one by one. */
function insertFresh(
  database: DatabaseSync,
  statements: Statements,
  records: readonly UsageRecord[],
): readonly UsageRecord[] {
  database.exec('savepoint together');
  if (insertTogether(statements, records)) return records;
  database.exec('rollback to together');
  return records.filter((record) => isInserted(statements.insertOne, [record]));
}

function insertTogether(
  { insertOne, insertMany }: Statements,
  records: readonly UsageRecord[],
): boolean {
  const whole = records.length - (records.length % ROWS_TOGETHER);
  for (let at = 0; at < whole; at += ROWS_TOGETHER) {
    if (!isInserted(insertMany, records.slice(at, at + ROWS_TOGETHER))) return false;
  }
  return records.slice(whole).every((record) => isInserted(insertOne, [record]));
}

/** True when every one of them was new. */
function isInserted(statement: StatementSync, records: readonly UsageRecord[]): boolean {
  const values: SQLInputValue[] = [];
  for (const record of records) addValues(values, record);
  return statement.run(...values).changes === records.length;
}

/** In the order of RECORD_COLUMNS. */
function addValues(values: SQLInputValue[], record: UsageRecord): void {
  values.push(
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
}
