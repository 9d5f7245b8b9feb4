// A Kysely dialect over the connection pool. Three things differ from Kysely's own driver: a statement has a timeout, a
// failed rollback does not hide its reason, and a connection inside a transaction never returns to the pool.

import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { PoolClient } from 'pg';
import type { ConnectionPool } from './connection-pool.ts';

export function createKyselyDialect(pool: ConnectionPool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function createDriver(pool: ConnectionPool): Driver {
  const clients = new WeakMap<DatabaseConnection, PoolClient>();
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      const client = await pool.acquire();
      const connection = new PooledConnection(pool, client);
      clients.set(connection, client);
      return connection;
    },
    beginTransaction: (connection, settings) => command(connection, beginText(settings)),
    commitTransaction: (connection) => command(connection, 'commit'),
    rollbackTransaction: (connection) =>
      command(connection, 'rollback').catch(() => {
        // The caller gets the error that caused the rollback; the connection is dropped.
      }),
    releaseConnection(connection) {
      const client = clients.get(connection);
      clients.delete(connection);
      if (client) pool.release(client);
      return Promise.resolve();
    },
    destroy: () => pool.close(),
  };
}

function beginText({ isolationLevel, accessMode }: TransactionSettings): string {
  const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
  return `begin${level}${accessMode === undefined ? '' : ` ${accessMode}`}`;
}

async function command(connection: DatabaseConnection, text: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(text));
}

class PooledConnection implements DatabaseConnection {
  readonly #pool: ConnectionPool;
  readonly #client: PoolClient;

  constructor(pool: ConnectionPool, client: PoolClient) {
    this.#pool = pool;
    this.#client = client;
  }

  // biome-ignore format: the signature is Kysely's.
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.#pool.query(this.#client, query.sql, query.parameters);
    // PostgreSQL answers COMMIT after a failed statement without an error; only the command tag says ROLLBACK.
    if (result.command === 'ROLLBACK' && query.sql === 'commit')
      throw new Error('the transaction failed before its commit and was rolled back');
    const numAffectedRows = result.rowCount === null ? undefined : BigInt(result.rowCount);
    return { rows: result.rows, ...(numAffectedRows === undefined ? {} : { numAffectedRows }) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming a query is not supported: use keyset pagination');
  }
}
