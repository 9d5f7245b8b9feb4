// Detects a connection pooler between Spillway and PostgreSQL, such as PgBouncer, and whether it pools transactions.
//
// A pooler answers the handshake itself, with a process id of its own, so the id of the handshake differs from
// pg_backend_pid(). In session mode each client keeps its backend while it is connected, and two clients never share one. In
// transaction mode a backend goes back to the pool after each statement, and the next client gets it. Spillway needs
// sessions: the store lock is an advisory lock of a session, queues use LISTEN, and statements are prepared by name.

import { Client } from 'pg';
import { queryWithTimeout } from '../statements/query-timeout.ts';
import { clientConfig, settingsFrom } from './postgres-options.ts';

export type Pooling = 'none' | 'session' | 'transaction';

/** The backends of a busy pooler may differ by chance, but not several times in a row. */
const ROUNDS = 5;

export async function detectPooling(url: string): Promise<Pooling> {
  const settings = settingsFrom({ applicationName: 'spillway check' });
  const config = clientConfig(url, settings);
  const clients = [new Client(config), new Client(config)] as const;
  const [first, second] = clients;
  for (const client of clients) client.on('error', () => {});
  const backendOf = async (client: Client): Promise<number> => {
    const text = 'select pg_backend_pid() as backend';
    const { rows } = await queryWithTimeout(client, { text }, settings.queryTimeoutMs);
    return Number(rows[0]?.backend);
  };
  try {
    await first.connect();
    const backend = await backendOf(first);
    if (backend === handshakeId(first)) return 'none';
    await second.connect();
    for (let round = 0; round < ROUNDS; round += 1) {
      const isShared = (await backendOf(second)) === backend;
      if (isShared || (await backendOf(first)) !== backend) return 'transaction';
    }
    return 'session';
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

/** The process id in the handshake's BackendKeyData; the driver has it without a type. */
function handshakeId(client: Client): unknown {
  return 'processID' in client ? client.processID : undefined;
}
