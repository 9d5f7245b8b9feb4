// One connection of the pool, kept in hand between the calls of statements that every request needs, because taking one
// and giving it back costs more than the call. Whoever comes while it is in use takes another from the pool. It goes
// back when it was not used for a while, when it breaks, and at the close.
// States: none → in use ⇄ at hand → none.

import type { PoolClient } from 'pg';
import type { PreparedStatement, TextRow } from '../statements/prepared-call.ts';
import type { ConnectionPool } from './connection-pool.ts';

const UNUSED_MS = 1000;

export class KeptConnection {
  readonly #pool: ConnectionPool;
  #kept: PoolClient | undefined;
  #isInUse = false;
  #wasUsed = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  async call(statement: PreparedStatement, values: string[]): Promise<readonly TextRow[]> {
    if (this.#isInUse) return this.#callOnce(statement, values);
    this.#isInUse = true;
    try {
      const client = this.#kept ?? this.#keep(await this.#pool.acquire());
      this.#wasUsed = true;
      return await this.#pool.call(client, statement, values);
    } catch (cause) {
      this.#letGo();
      throw cause;
    } finally {
      this.#isInUse = false;
      if (this.#isClosed) this.#letGo();
    }
  }

  /** Idempotent. What is under way ends by itself, and gives its connection back. */
  close(): void {
    this.#isClosed = true;
    if (!this.#isInUse) this.#letGo();
  }

  async #callOnce(statement: PreparedStatement, values: string[]): Promise<readonly TextRow[]> {
    const client = await this.#pool.acquire();
    try {
      return await this.#pool.call(client, statement, values);
    } finally {
      this.#pool.release(client);
    }
  }

  #keep(client: PoolClient): PoolClient {
    this.#kept = client;
    client.once('end', this.#letGo);
    this.#timer = setInterval(() => this.#look(), UNUSED_MS).unref();
    return client;
  }

  #look(): void {
    if (!this.#wasUsed && !this.#isInUse) this.#letGo();
    this.#wasUsed = false;
  }

  readonly #letGo = (): void => {
    const client = this.#kept;
    if (!client) return;
    this.#kept = undefined;
    clearInterval(this.#timer);
    client.off('end', this.#letGo);
    this.#pool.release(client);
  };
}
