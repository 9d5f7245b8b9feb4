// A Kysely dialect over node:sqlite: one connection, shared under a mutex, with a cache of prepared statements. Kysely
// compiles the same SQL text for the same query, so a statement is prepared once and not per call.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { ConnectionMutex } from './connection-mutex.ts';
import { markIfUnavailable } from './store-unavailable.ts';

const MAX_STATEMENTS = 300;

export function createKyselyDialect(database: DatabaseSync, mutex: ConnectionMutex): Dialect {
  return {
    createAdapter: () => new EmbeddedAdapter(),
    createDriver: () => createDriver(database, mutex),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class EmbeddedAdapter extends SqliteAdapter {
  /** ConnectionMutex serializes instead of Kysely, because raw statements wait in the same queue. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** SQLite rolls DDL back, so a killed migration leaves nothing behind. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function createDriver(database: DatabaseSync, mutex: ConnectionMutex): Driver {
  const connection = new EmbeddedConnection(database);
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      await mutex.acquire();
      return connection;
    },
    releaseConnection() {
      mutex.release();
      return Promise.resolve();
    },
    // IMMEDIATE takes the write lock now; a read lock that is upgraded later can fail in the middle.
    beginTransaction: () => connection.command('begin immediate'),
    commitTransaction: () => connection.command('commit'),
    // A full disk makes SQLite roll back by itself; a second rollback would hide the first failure.
    rollbackTransaction: () =>
      database.isTransaction ? connection.command('rollback') : Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
}

type Prepared = { readonly statement: StatementSync; readonly returnsRows: boolean };

class EmbeddedConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async command(text: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(text));
  }

  // biome-ignore format: the signature is Kysely's.
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // A throwing statement must become a rejection, as Kysely expects of a driver.
    return Promise.try(() => this.#run<R>(query)).catch((cause: unknown) => {
      throw markIfUnavailable(cause);
    });
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming a query is not supported: use keyset pagination');
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters as readonly SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...parameters) as R[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
  }

  #prepare(text: string): Prepared {
    const cached = this.#prepared.get(text);
    if (cached) return cached;
    const statement = this.#database.prepare(text);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#prepared.size >= MAX_STATEMENTS) this.#evictOldest();
    this.#prepared.set(text, prepared);
    return prepared;
  }

  #evictOldest(): void {
    for (const text of this.#prepared.keys()) {
      this.#prepared.delete(text);
      return;
    }
  }
}
