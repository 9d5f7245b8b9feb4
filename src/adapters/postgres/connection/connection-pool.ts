// The pool of connections, whose every wait ends: for a connection, for an answer, for the close. A connection that
// breaks, idle or in use, is only dropped; nothing here ends the process, and the next statement opens a new one.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, DatabaseError, Pool, type PoolClient, type QueryResult } from 'pg';
import { callWithin, type PreparedStatement, type TextRow } from '../statements/prepared-call.ts';
import { dropConnection, queryWithin } from '../statements/query-within.ts';
import { createStatementNames } from '../statements/statement-names.ts';
import { clientConfig, type PostgresSettings } from './postgres-options.ts';
import { marked } from './store-away.ts';

export type PoolLoad = { readonly open: number; readonly idle: number; readonly waiting: number };

export type ConnectionPool = {
  /** A connection that has been greeted. */
  acquire(): Promise<PoolClient>;
  query(client: PoolClient, text: string, values: readonly unknown[]): Promise<QueryResult>;
  /** As `query`, for what is asked all the time: texts in, texts out. */
  call(
    client: PoolClient,
    statement: PreparedStatement,
    values: string[],
  ): Promise<readonly TextRow[]>;
  /** Back to the others; one that is broken, or was left in the midst of a transaction, is dropped. */
  release(client: PoolClient): void;
  load(): PoolLoad;
  /** Waits for statements in flight, but not for a server that hangs. Idempotent. */
  close(): Promise<void>;
};

const FAREWELL_MS = 1000;

export function openConnectionPool(
  url: string,
  settings: PostgresSettings,
  /** Run on each new connection before it is used. */
  greeting: string,
): ConnectionPool {
  const { queryTimeoutMs } = settings;
  const { pool, living } = openPool(url, settings);
  const names = createStatementNames();
  const greeted = new WeakSet<PoolClient>();
  const broken = new WeakSet<PoolClient>();
  let closing: Promise<void> | undefined;
  return {
    async acquire() {
      const client = await pool.connect().catch(throwMarked);
      if (greeted.has(client)) return client;
      try {
        await queryWithin(client, { text: greeting }, queryTimeoutMs);
        greeted.add(client);
        return client;
      } catch (cause) {
        client.release(true);
        throw marked(cause);
      }
    },
    async query(client, text, values) {
      try {
        const statement = { text, values, name: names.nameOf(text) };
        return await queryWithin(client, statement, queryTimeoutMs);
      } catch (cause) {
        if (endsConnection(cause)) broken.add(client);
        throw marked(cause);
      }
    },
    async call(client, statement, values) {
      try {
        return await callWithin(client, statement, values, queryTimeoutMs);
      } catch (cause) {
        if (endsConnection(cause)) broken.add(client);
        throw marked(cause);
      }
    },
    release: (client) =>
      client.release(broken.has(client) || client.getTransactionStatus() !== 'I'),
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close() {
      closing ??= closePool(pool, living, queryTimeoutMs + FAREWELL_MS);
      return closing;
    },
  };
}

/**
 * What the server complains of is the statement's fault, unless it is leaving: it says so before it hangs up, and
 * meanwhile the connection looks sound. One that has become read-only is no longer the primary; another connection
 * may find who is. Whatever did not come from the server came from the connection.
 */
function endsConnection(cause: unknown): boolean {
  return !(cause instanceof DatabaseError) || /^(57P|08|25006)/.test(cause.code ?? '');
}

function throwMarked(cause: unknown): never {
  throw marked(cause);
}

function openPool(url: string, settings: PostgresSettings) {
  const pool = new Pool({
    ...clientConfig(url, settings),
    max: settings.maxConnections,
    idleTimeoutMillis: settings.idleConnectionMs,
  });
  const living = new Set<Client>();
  // Without a listener a connection that breaks would end the process. Whoever uses it hears of it by rejection.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    living.add(client);
    client.once('end', () => living.delete(client));
  });
  return { pool, living };
}

async function closePool(pool: Pool, living: ReadonlySet<Client>, withinMs: number): Promise<void> {
  const timer = new AbortController();
  const late = delay(withinMs, undefined, { signal: timer.signal }).catch(() => {});
  const farewells = [...living].map((client) => once(client, 'end'));
  await Promise.race([Promise.allSettled([pool.end(), ...farewells]), late]);
  timer.abort();
  // A socket that waits for a hung server to say goodbye would keep the process alive.
  for (const client of living) dropConnection(client);
}
