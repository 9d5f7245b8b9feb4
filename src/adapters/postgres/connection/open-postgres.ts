// Opens the durable store of a cluster. Nothing is asked of the server yet: a store that is away rejects each
// statement within the timeouts, and is used again by itself when it is back. Migrating is the caller's decision.
//
// Our tables live in a schema of their own, which every connection looks into first and then where it would have
// looked anyway: a database may already hold somebody else's tables of the same names.

import { Kysely } from 'kysely';
import type { Schema } from '../../sql/schema.ts';
import { postgresDialect, type SqlDialect } from '../../sql/sql-dialect.ts';
import type { PreparedStatement, TextRow } from '../statements/prepared-call.ts';
import { openConnectionPool, type PoolLoad } from './connection-pool.ts';
import { KeptConnection } from './kept-connection.ts';
import { createKyselyDialect } from './kysely-dialect.ts';
import { type PostgresOptions, settingsFrom } from './postgres-options.ts';

export type PostgresStore = {
  readonly db: Kysely<Schema>;
  readonly dialect: SqlDialect;
  /** One statement, past Kysely: for the few that every job makes. It is a transaction of its own. */
  run<R>(text: string, values: readonly unknown[]): Promise<readonly R[]>;
  /** As `run`, for the statement that every request waits for: texts in, texts out, in the order of the columns. */
  call(statement: PreparedStatement, values: string[]): Promise<readonly TextRow[]>;
  load(): PoolLoad;
  /** Waits for statements in flight; idempotent. */
  close(): Promise<void>;
};

/**
 * Plans are made anew each time: one that was kept from when a queue was empty would read the whole of it when it
 * is full.
 */
const GREETING = `select
  set_config('search_path', '${postgresDialect.schema},' || current_setting('search_path'), false),
  set_config('plan_cache_mode', 'force_custom_plan', false)`;

export function openPostgres(url: string, options: PostgresOptions = {}): PostgresStore {
  const pool = openConnectionPool(url, settingsFrom(options), GREETING);
  const kept = new KeptConnection(pool);
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
    call: (statement, values) => kept.call(statement, values),
    load: () => pool.load(),
    async close() {
      kept.close();
      await db.destroy();
      // Kysely that was never used never made its driver, and so never closes it.
      await pool.close();
    },
  };
}
