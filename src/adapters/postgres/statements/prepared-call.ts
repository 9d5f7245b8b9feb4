// A statement that is asked again and again on one connection, with as little around it as the protocol allows. The
// driver's own query copies its settings, has the columns described and builds objects from them each time; that is more
// work than a batch of asks is itself. Here values go as texts and rows come as texts, in the order of their columns.
//
// The first call on a connection is the driver's own and has the server prepare the statement; those after it only bind
// and execute. A server that hangs costs the connection, as with every statement.

import type { Client, Connection, Submittable } from 'pg';
import { dropConnection } from './query-within.ts';

export type TextRow = readonly (string | null)[];

/** The name is its alone, on every connection. */
export type PreparedStatement = { readonly name: string; readonly text: string };

export async function callWithin(
  client: Client,
  { name, text }: PreparedStatement,
  values: string[],
  timeoutMs: number,
): Promise<readonly TextRow[]> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    dropConnection(client);
  }, timeoutMs);
  try {
    if (isPrepared(client, name)) return await callAgain(client, name, values);
    const query = { name, text, values, rowMode: 'array' as const, types: AS_TEXT };
    const { rows } = await client.query<(string | null)[]>(query);
    remember(client, name);
    return rows;
  } catch (cause) {
    if (!isLate) throw cause;
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

function remember(client: Client, name: string): void {
  const names = preparedOn.get(client);
  if (names) names.add(name);
  else preparedOn.set(client, new Set([name]));
}

function callAgain(client: Client, name: string, values: string[]): Promise<readonly TextRow[]> {
  return new Promise((resolve, reject) => {
    client.query(new RepeatedCall(name, values, resolve, reject));
  });
}

/** What the driver takes for a query of its own: it hands on what the server says until it is ready again. */
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
