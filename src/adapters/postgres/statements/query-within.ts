// One statement with an end to its wait. A server that hangs (frozen, or a network that swallows packets) fires none
// of its own timeouts, so ours drops the connection, which is the only way to be rid of the statement.

import type { Client, QueryResult } from 'pg';

export type Statement = {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Under which the server keeps it prepared on each connection; absent: for this once. */
  readonly name?: string | undefined;
};

export async function queryWithin(
  client: Client,
  { text, values = [], name }: Statement,
  timeoutMs: number,
): Promise<QueryResult> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    dropConnection(client);
  }, timeoutMs);
  try {
    return await client.query({ name, text, values: values.map(storable) });
  } catch (cause) {
    if (!isLate) throw cause;
    throw new Error(`PostgreSQL did not answer within ${timeoutMs} ms`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** At once and without a farewell. What waits for an answer on it rejects, and the pool lets go of it. */
export function dropConnection(client: Client): void {
  client.connection.stream.destroy();
}

/**
 * PostgreSQL's text cannot hold NUL, and a statement that carries one fails for ever: one such message would
 * block a queue. The mark for an unreadable character takes its place, as it does for bad UTF-8.
 */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value;
}
