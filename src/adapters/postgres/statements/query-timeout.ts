// Runs one statement with a client-side timeout. A server that hangs (frozen, or behind a network that drops packets)
// fires none of its own timeouts; destroying the connection is then the only way to end the wait.

import type { Client, QueryResult } from 'pg';

export type Statement = {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** The name of the prepared statement on each connection; absent: not prepared. */
  readonly name?: string | undefined;
};

export async function queryWithTimeout(
  client: Client,
  { text, values = [], name }: Statement,
  timeoutMs: number,
): Promise<QueryResult> {
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    destroyConnection(client);
  }, timeoutMs);
  try {
    return await client.query({ name, text, values: values.map(storable) });
  } catch (cause) {
    if (!isTimedOut) throw cause;
    throw new Error(`PostgreSQL did not answer within ${timeoutMs} ms`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Closes the socket immediately. Its pending statements reject, and the pool drops it. */
export function destroyConnection(client: Client): void {
  client.connection.stream.destroy();
}

/**
 * PostgreSQL's text cannot contain NUL: a message with one would fail on every retry and block its queue. U+FFFD replaces
 * it, as it does for invalid UTF-8.
 */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value;
}
