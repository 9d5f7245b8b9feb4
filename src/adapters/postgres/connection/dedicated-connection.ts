// One connection of the pool, dedicated to the statement that every request waits for, because acquiring and releasing
// a connection costs more than the statement. A call that finds it busy uses another connection of the pool. It returns
// to the pool after a second without calls, when it breaks, and at the close.
// States: none → busy ⇄ idle → none.

import type { PoolClient } from 'pg';
import type { PreparedStatement, TextRow } from '../statements/prepared-call.ts';
import type { ConnectionPool } from './connection-pool.ts';

const IDLE_MS = 1000;

export class DedicatedConnection {
  readonly #pool: ConnectionPool;
  #client: PoolClient | undefined;
  #isBusy = false;
  #wasUsed = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  async call(statement: PreparedStatement, values: string[]): Promise<readonly TextRow[]> {
    if (this.#isBusy) return this.#callOnOther(statement, values);
    this.#isBusy = true;
    try {
      const client = this.#client ?? this.#dedicate(await this.#pool.acquire());
      this.#wasUsed = true;
      return await this.#pool.call(client, statement, values);
    } catch (cause) {
      this.#release();
      throw cause;
    } finally {
      this.#isBusy = false;
      if (this.#isClosed) this.#release();
    }
  }

  /** Idempotent. A call in flight completes and then releases the connection. */
  close(): void {
    this.#isClosed = true;
    if (!this.#isBusy) this.#release();
  }

  async #callOnOther(statement: PreparedStatement, values: string[]): Promise<readonly TextRow[]> {
    const client = await this.#pool.acquire();
    try {
      return await this.#pool.call(client, statement, values);
    } finally {
      this.#pool.release(client);
    }
  }

  #dedicate(client: PoolClient): PoolClient {
    this.#client = client;
    client.once('end', this.#release);
    this.#timer = setInterval(() => this.#releaseIfIdle(), IDLE_MS).unref();
    return client;
  }

  #releaseIfIdle(): void {
    if (!this.#wasUsed && !this.#isBusy) this.#release();
    this.#wasUsed = false;
  }

  readonly #release = (): void => {
    const client = this.#client;
    if (!client) return;
    this.#client = undefined;
    clearInterval(this.#timer);
    client.off('end', this.#release);
    this.#pool.release(client);
  };
}
