// Usage on embedded storage. Reading is the common SQL. Writing uses prepared statements instead of Kysely, because every
// request writes a record and may spend only microseconds on it. A batch is one transaction: the new records, their
// roll-ups and postings, and the changes of reservations.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { postingMonth } from '../../kernel/calendar/calendar-month.ts';
import type { StoredValue } from '../../kernel/record-layout.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type {
  InsertedUsage,
  ReservationChanges,
  UsageStore,
} from '../../metering/usage/usage-store.ts';
import { LOST_STATUS, type Spending } from '../sql/metering/budget-posting.ts';
import { USAGE_COLUMNS, usageValues } from '../sql/metering/record-columns.ts';
import { type RollupRow, rollUp, takeBack } from '../sql/metering/usage-rollup.ts';
import { createUsageReading } from '../sql/metering/usage-store.ts';
import { type BudgetStatements, prepareBudgetStatements } from './budget-statements.ts';
import type { SqliteStore } from './open-sqlite.ts';
import { inBatches, ROWS_PER_STATEMENT } from './row-batches.ts';

export function createSqliteUsageStore(store: SqliteStore): UsageStore {
  let statements: Statements | undefined;
  return {
    ...createUsageReading(store.db),
    insertBatch: (records, reservations) =>
      store.withRaw((database) => {
        statements ??= prepare(database);
        return insertAll(database, statements, records, reservations);
      }),
    forget: (before, most) =>
      store.withRaw((database) => Number(database.prepare(FORGET).run(before, most).changes)),
  };
}

/** By organisation, because the index on usage_records begins with it. */
const FORGET = `
  delete from usage_records where id in (
    select id from usage_records
    where organization_id in (select id from organizations) and created_at < ? limit ?)`;

type Statements = {
  readonly insertOne: StatementSync;
  readonly insertMany: StatementSync;
  readonly addRollup: StatementSync;
  readonly addRollups: StatementSync;
  readonly takeLost: StatementSync;
  readonly budgets: BudgetStatements;
};

function prepare(database: DatabaseSync): Statements {
  return {
    insertOne: database.prepare(insertSql(1)),
    insertMany: database.prepare(insertSql(ROWS_PER_STATEMENT)),
    addRollup: database.prepare(rollupSql(1)),
    addRollups: database.prepare(rollupSql(ROWS_PER_STATEMENT)),
    takeLost: database.prepare(
      `delete from usage_records where id = ? and status = '${LOST_STATUS}' 
       returning cost_nanos, created_at, budget_month`,
    ),
    budgets: prepareBudgetStatements(database),
  };
}

/**
 * `or rollback`: a violated constraint ends the transaction, which the caller rolls back anyway. Otherwise SQLite copies every
 * page that a statement of several rows changes, to be able to undo only that statement.
 */
function insertSql(rows: number): string {
  const row = `(${USAGE_COLUMNS.map(() => '?').join(', ')})`;
  return `
    insert or rollback into usage_records (${USAGE_COLUMNS.join(', ')})
    values ${Array.from({ length: rows }, () => row).join(', ')}
    on conflict (id) do nothing`;
}

const ROLLUP_SUMS = [
  'attempts',
  'failures',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_nanos',
] as const satisfies readonly (keyof RollupRow)[];

const ROLLUP_COLUMNS = [
  'organization_id',
  'hour_start',
  'key_id',
  'user_id',
  'provider',
  'model',
  'category',
  ...ROLLUP_SUMS,
] as const satisfies readonly (keyof RollupRow)[];

function rollupSql(rows: number): string {
  const row = `(${ROLLUP_COLUMNS.map(() => '?').join(', ')})`;
  return `
    insert or rollback into usage_rollups (${ROLLUP_COLUMNS.join(', ')})
    values ${Array.from({ length: rows }, () => row).join(', ')}
    on conflict do update set
      ${ROLLUP_SUMS.map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(', ')}`;
}

/** A batch of records of different organisations has one roll-up row per record. */
function addRollups({ addRollup, addRollups }: Statements, rows: readonly RollupRow[]): void {
  for (const some of inBatches(rows)) {
    const statement = some.length === ROWS_PER_STATEMENT ? addRollups : undefined;
    const values = some.map((row) => ROLLUP_COLUMNS.map((column) => row[column]));
    if (statement) statement.run(...values.flat());
    else for (const each of values) addRollup.run(...each);
  }
}

function insertAll(
  database: DatabaseSync,
  statements: Statements,
  records: readonly UsageRecord[],
  reservations: Partial<ReservationChanges> | undefined,
): InsertedUsage {
  const { budgets } = statements;
  database.exec('begin immediate');
  try {
    const { fresh, replaced } = insertFresh(database, statements, records);
    addRollups(statements, [...rollUp(fresh), ...replaced.flatMap(moveRollup)]);
    const crossed = budgets.post(spendingsOf(fresh, replaced));
    if (reservations) budgets.changeReservations(reservations);
    database.exec('commit');
    return { stored: fresh.length, crossed };
  } catch (cause) {
    if (database.isTransaction) database.exec('rollback');
    throw cause;
  }
}

/** A record that replaces the estimate of its attempt. */
type Replaced = { readonly record: UsageRecord; readonly lost: UsageRecord };
type Inserted = { readonly fresh: readonly UsageRecord[]; readonly replaced: readonly Replaced[] };

/**
 * Nearly always all records are new. Otherwise the transaction restarts and inserts one by one, to learn which are. No
 * savepoint, for which SQLite would copy every page before changing it.
 */
function insertFresh(
  database: DatabaseSync,
  statements: Statements,
  records: readonly UsageRecord[],
): Inserted {
  if (insertTogether(statements, records)) return { fresh: records, replaced: [] };
  database.exec('rollback; begin immediate');
  const fresh: UsageRecord[] = [];
  const replaced: Replaced[] = [];
  for (const record of records) {
    if (isInserted(statements.insertOne, [record])) fresh.push(record);
    else replaced.push(...replaceLost(statements, record));
  }
  return { fresh, replaced };
}

function replaceLost(statements: Statements, record: UsageRecord): readonly Replaced[] {
  if (record.status === LOST_STATUS) return [];
  const row = statements.takeLost.get(record.id);
  if (!row) return [];
  const lost = {
    ...record,
    ...NO_USAGE,
    status: LOST_STATUS,
    costNanos: Number(row['cost_nanos']),
    createdAt: Number(row['created_at']),
    budgetMonth: Number(row['budget_month']),
  };
  isInserted(statements.insertOne, [record]);
  return [{ record, lost }];
}

function moveRollup({ record, lost }: Replaced): readonly RollupRow[] {
  return [...takeBack([lost]), ...rollUp([record])];
}

function spendingsOf(
  fresh: readonly UsageRecord[],
  replaced: readonly Replaced[],
): readonly Spending[] {
  const spent = (record: UsageRecord, sign: 1 | -1): Spending => ({
    record,
    month: postingMonth(record),
    nanos: sign * record.costNanos,
  });
  return [
    ...fresh.map((record) => spent(record, 1)),
    ...replaced.flatMap(({ record, lost }) => [spent(lost, -1), spent(record, 1)]),
  ];
}

function insertTogether(statements: Statements, records: readonly UsageRecord[]): boolean {
  const { insertOne, insertMany } = statements;
  const whole = records.length - (records.length % ROWS_PER_STATEMENT);
  for (let at = 0; at < whole; at += ROWS_PER_STATEMENT) {
    if (!isInserted(insertMany, records.slice(at, at + ROWS_PER_STATEMENT))) return false;
  }
  return records.slice(whole).every((record) => isInserted(insertOne, [record]));
}

/** True if every record was new. */
function isInserted(statement: StatementSync, records: readonly UsageRecord[]): boolean {
  const values: StoredValue[] = [];
  for (const record of records) usageValues(record, values);
  return statement.run(...values).changes === records.length;
}
