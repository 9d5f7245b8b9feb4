// Repeats one prepared statement on a connection with the fewest protocol messages. The driver's query copies its settings,
// describes the columns and builds an object per row each time, which costs more than the statement. Here values and rows
// are texts, in column order.
//
// The first call on a connection is the driver's and prepares the statement; later calls only bind and execute. A timeout
// destroys the connection, as for every statement.

import type { Client, Connection, Submittable } from 'pg';
import { destroyConnection } from './query-timeout.ts';

export type TextRow = readonly (string | null)[];

/** The name identifies the statement on every connection. */
export type PreparedStatement = { readonly name: string; readonly text: string };

export async function callWithTimeout(
  client: Client,
  { name, text }: PreparedStatement,
  values: string[],
  timeoutMs: number,
): Promise<readonly TextRow[]> {
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    destroyConnection(client);
  }, timeoutMs);
  try {
    if (isPrepared(client, name)) return await repeatCall(client, name, values);
    const query = { name, text, values, rowMode: 'array' as const, types: AS_TEXT };
    const { rows } = await client.query<(string | null)[]>(query);
    markPrepared(client, name);
    return rows;
  } catch (cause) {
    if (!isTimedOut) throw cause;
    throw new Error(`PostgreSQL did not answer within ${timeoutMs} ms`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

const AS_TEXT = { getTypeParser: () => (text: string) => text };

const preparedOn = new WeakMap<Client, Set<string>>();

function isPrepared(client: Client, name: string): boolean {
  return preparedOn.get(client)?.has(name) === true;
}

function markPrepared(client: Client, name: string): void {
  const names = preparedOn.get(client);
  if (names) names.add(name);
  else preparedOn.set(client, new Set([name]));
}

function repeatCall(client: Client, name: string, values: string[]): Promise<readonly TextRow[]> {
  return new Promise((resolve, reject) => {
    client.query(new RepeatedCall(name, values, resolve, reject));
  });
}

/** A query object for the driver, which passes it the server's messages until ReadyForQuery. */
class RepeatedCall implements Submittable {
  readonly name: string;
  readonly #values: string[];
  readonly #resolve: (rows: readonly TextRow[]) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #rows: TextRow[] = [];

  constructor(
    name: string,
    values: string[],
    resolve: (rows: readonly TextRow[]) => void,
    reject: (cause: unknown) => void,
  ) {
    this.name = name;
    this.#values = values;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    const { stream } = connection;
    stream.cork();
    connection.bind({ statement: this.name, values: this.#values }, true);
    connection.execute(null, true);
    connection.sync();
    stream.uncork();
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#resolve(this.#rows);
  }

  handleError(cause: unknown): void {
    this.#reject(cause);
  }
}
