// Opens the PostgreSQL store. Opening connects to nothing: while PostgreSQL is unavailable each statement rejects within
// its timeout, and the next one after recovery succeeds. The caller decides about migrations.
//
// Spillway's tables are in a schema of its own, first on the search path of every connection: the database may already
// have tables of the same names.

import { Kysely } from 'kysely';
import type { Schema } from '../../sql/schema.ts';
import { postgresDialect, type SqlDialect } from '../../sql/sql-dialect.ts';
import type { PreparedStatement, TextRow } from '../statements/prepared-call.ts';
import { openConnectionPool, type PoolLoad } from './connection-pool.ts';
import { DedicatedConnection } from './dedicated-connection.ts';
import { createKyselyDialect } from './kysely-dialect.ts';
import {
  type PostgresOptions,
  type PostgresSettings,
  settingsFrom,
  timeoutParameters,
} from './postgres-options.ts';

export type PostgresStore = {
  readonly db: Kysely<Schema>;
  readonly dialect: SqlDialect;
  /** Runs one statement in a transaction of its own, without Kysely: for the few statements of every job. */
  run<R>(text: string, values: readonly unknown[]): Promise<readonly R[]>;
  /** As `run` for the statement that every request waits for: values and rows are texts, in column order. */
  call(statement: PreparedStatement, values: string[]): Promise<readonly TextRow[]>;
  load(): PoolLoad;
  /** Waits for statements in flight; idempotent. */
  close(): Promise<void>;
};

export function openPostgres(url: string, options: PostgresOptions = {}): PostgresStore {
  const settings = settingsFrom(options);
  const pool = openConnectionPool(url, settings, setUpStatement(url, settings));
  const dedicated = new DedicatedConnection(pool);
  const db = new Kysely<Schema>({ dialect: createKyselyDialect(pool) });
  return {
    db,
    dialect: postgresDialect,
    async run<R>(text: string, values: readonly unknown[]): Promise<readonly R[]> {
      const client = await pool.acquire();
      try {
        return (await pool.query(client, text, values)).rows;
      } finally {
        pool.release(client);
      }
    },
    call: (statement, values) => dedicated.call(statement, values),
    load: () => pool.load(),
    async close() {
      dedicated.close();
      await db.destroy();
      // An unused Kysely has created no driver and does not close the pool.
      await pool.close();
    },
  };
}

/** Custom plans: a generic plan from when a queue was empty would read the whole queue when it is full. */
function setUpStatement(url: string, settings: PostgresSettings): string {
  const timeouts = Object.entries(timeoutParameters(url, settings)).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  return `select
    set_config('search_path', '${postgresDialect.schema},' || current_setting('search_path'), false),
    ${["set_config('plan_cache_mode', 'force_custom_plan', false)", ...timeouts].join(', ')}`;
}
