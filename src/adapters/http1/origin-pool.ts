// The connections to one origin. The one that was used last is used next, so that those too many grow old and are closed.
// When there are as many as may be, exchanges wait their turn; so do those for whom a connection is only resting.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { Connection, type ConnectionOwner, type ConnectionParts } from './connection.ts';
import type { Carrier, Exchange } from './exchange.ts';
import { RestingConnections } from './resting-connections.ts';

export type OriginPoolParts = ConnectionParts & { readonly maxConnections: number };

const SWEEP_MS = 1000;

export class OriginPool implements ConnectionOwner {
  readonly #parts: OriginPoolParts;
  readonly #clock: Clock;
  readonly #connections = new Set<Connection>();
  readonly #resting = new RestingConnections((connection) => this.#offer(connection));
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Exchange>();
  readonly #line: Carrier;
  #cancelSweep: CancelTimer | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(parts: OriginPoolParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#line = { drop: (exchange) => this.#waiting.delete(exchange), pause() {}, resume() {} };
  }

  send(exchange: Exchange): void {
    const isOneResting = this.#resting.size > this.#waiting.size;
    const connection = this.#takeIdle() ?? (isOneResting ? undefined : this.#open());
    if (connection) return carry(connection, exchange);
    exchange.carriedBy(this.#line);
    this.#waiting.add(exchange);
  }

  onIdle(connection: Connection): void {
    this.#resting.add(connection);
  }

  onGone(connection: Connection): void {
    this.#connections.delete(connection);
    this.#resting.forget(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      this.send(next);
    } else if (this.#connections.size === 0) this.#onEmpty?.();
  }

  /** Waits for the exchanges there are; nobody sends any more. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#cancelSweep?.();
      this.#onEmpty = resolve;
      for (const connection of this.#idle.splice(0)) connection.close();
      if (this.#connections.size === 0) resolve();
    });
  }

  #offer(connection: Connection): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      return carry(connection, next);
    }
    if (this.#onEmpty) return connection.close();
    this.#idle.push(connection);
    this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => this.#sweep());
  }

  #takeIdle(): Connection | undefined {
    const connection = this.#idle.pop();
    if (!connection || connection.idleUntilMs > this.#clock.monotonic()) return connection;
    // It was the youngest: all others are too old as well.
    for (const old of [connection, ...this.#idle.splice(0)]) old.close();
    return undefined;
  }

  #open(): Connection | undefined {
    if (this.#connections.size >= this.#parts.maxConnections) return undefined;
    const connection = new Connection(this.#parts, this);
    this.#connections.add(connection);
    return connection;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    const old = this.#idle.filter(({ idleUntilMs }) => idleUntilMs <= now);
    for (const connection of old) connection.close();
    this.#cancelSweep =
      this.#idle.length > 0 ? this.#clock.after(SWEEP_MS, () => this.#sweep()) : undefined;
  }
}

/** A request that cannot be sent fails alone; never before the sender knows of its call. */
function carry(connection: Connection, exchange: Exchange): void {
  try {
    connection.carry(exchange);
  } catch (error) {
    connection.close();
    const reason = error instanceof Error ? error : new Error('the request cannot be sent');
    queueMicrotask(() => exchange.failed(reason));
  }
}
