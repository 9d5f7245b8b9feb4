// The connection pool. Every wait has a timeout: for a connection, for an answer, for the close. A connection that breaks,
// idle or in use, is dropped and never ends the process; the next statement opens a new one.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, DatabaseError, Pool, type PoolClient, type QueryResult } from 'pg';
import {
  callWithTimeout,
  type PreparedStatement,
  type TextRow,
} from '../statements/prepared-call.ts';
import { destroyConnection, queryWithTimeout } from '../statements/query-timeout.ts';
import { createStatementNames } from '../statements/statement-names.ts';
import { clientConfig, type PostgresSettings } from './postgres-options.ts';
import { markIfUnavailable } from './store-unavailable.ts';

export type PoolLoad = { readonly open: number; readonly idle: number; readonly waiting: number };

export type ConnectionPool = {
  /** A connection on which the set-up statement has run. */
  acquire(): Promise<PoolClient>;
  query(client: PoolClient, text: string, values: readonly unknown[]): Promise<QueryResult>;
  /** As `query` for the most frequent statements: values and rows are texts, without conversion. */
  call(
    client: PoolClient,
    statement: PreparedStatement,
    values: string[],
  ): Promise<readonly TextRow[]>;
  /** Returns the connection to the pool; a broken one, or one inside a transaction, is dropped. */
  release(client: PoolClient): void;
  load(): PoolLoad;
  /** Waits for statements in flight, up to a timeout. Idempotent. */
  close(): Promise<void>;
};

const CLOSE_TIMEOUT_MS = 1000;

export function openConnectionPool(
  url: string,
  settings: PostgresSettings,
  /** The statement that runs on each new connection before its first use. */
  setUp: string,
): ConnectionPool {
  const { queryTimeoutMs } = settings;
  const { pool, openClients } = openPool(url, settings);
  const names = createStatementNames();
  const ready = new WeakSet<PoolClient>();
  const broken = new WeakSet<PoolClient>();
  let closing: Promise<void> | undefined;
  return {
    async acquire() {
      const client = await pool.connect().catch(throwMarked);
      if (ready.has(client)) return client;
      try {
        await queryWithTimeout(client, { text: setUp }, queryTimeoutMs);
        ready.add(client);
        return client;
      } catch (cause) {
        client.release(true);
        throw markIfUnavailable(cause);
      }
    },
    async query(client, text, values) {
      try {
        const statement = { text, values, name: names.nameOf(text) };
        return await queryWithTimeout(client, statement, queryTimeoutMs);
      } catch (cause) {
        if (endsConnection(cause)) broken.add(client);
        throw markIfUnavailable(cause);
      }
    },
    async call(client, statement, values) {
      try {
        return await callWithTimeout(client, statement, values, queryTimeoutMs);
      } catch (cause) {
        if (endsConnection(cause)) broken.add(client);
        throw markIfUnavailable(cause);
      }
    },
    release: (client) =>
      client.release(broken.has(client) || client.getTransactionStatus() !== 'I'),
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close() {
      closing ??= closePool(pool, openClients, queryTimeoutMs + CLOSE_TIMEOUT_MS);
      return closing;
    },
  };
}

/**
 * An error sent by PostgreSQL concerns the statement, except for a shutdown, which is announced before the socket
 * closes, and for a server that became read-only: a new connection may reach the new primary. Any other error concerns
 * the connection.
 */
function endsConnection(cause: unknown): boolean {
  return !(cause instanceof DatabaseError) || /^(57P|08|25006)/.test(cause.code ?? '');
}

function throwMarked(cause: unknown): never {
  throw markIfUnavailable(cause);
}

function openPool(url: string, settings: PostgresSettings) {
  const pool = new Pool({
    ...clientConfig(url, settings),
    max: settings.maxConnections,
    idleTimeoutMillis: settings.idleConnectionMs,
  });
  const openClients = new Set<Client>();
  // Without a listener a broken connection would end the process. Its statements reject anyway.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    openClients.add(client);
    client.once('end', () => openClients.delete(client));
  });
  return { pool, openClients };
}

async function closePool(
  pool: Pool,
  openClients: ReadonlySet<Client>,
  timeoutMs: number,
): Promise<void> {
  const timer = new AbortController();
  const timeout = delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => {});
  const ends = [...openClients].map((client) => once(client, 'end'));
  await Promise.race([Promise.allSettled([pool.end(), ...ends]), timeout]);
  timer.abort();
  // A socket to a PostgreSQL that hangs would keep the process alive.
  for (const client of openClients) destroyConnection(client);
}
