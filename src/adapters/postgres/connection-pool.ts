// The pool of connections, whose every wait ends: for a connection, for an answer, for the close. A connection that
// breaks, idle or in use, is only dropped; nothing here ends the process, and the next statement opens a new one.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, Pool } from 'pg';
import { clientConfig, type PostgresSettings } from './postgres-options.ts';
import { dropConnection } from './query-within.ts';

export type PoolLoad = { readonly open: number; readonly idle: number; readonly waiting: number };

export type ConnectionPool = {
  readonly pool: Pool;
  load(): PoolLoad;
  /** Waits for statements in flight, but not for a server that hangs. Idempotent. */
  close(): Promise<void>;
};

const FAREWELL_MS = 1000;

export function openConnectionPool(url: string, settings: PostgresSettings): ConnectionPool {
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
  let closing: Promise<void> | undefined;
  return {
    pool,
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close() {
      closing ??= closePool(pool, living, settings.queryTimeoutMs + FAREWELL_MS);
      return closing;
    },
  };
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
