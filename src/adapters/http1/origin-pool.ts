// The connections to one origin. The most recently used connection is reused first, so that surplus connections age out.
// At `maxConnections` exchanges wait in a queue; an exchange also waits when a quarantined connection is about to be free.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { Connection, type ConnectionOwner, type ConnectionParts } from './connection.ts';
import type { Exchange, Transport } from './exchange.ts';
import { Quarantine } from './quarantine.ts';

export type OriginPoolParts = ConnectionParts & { readonly maxConnections: number };

const SWEEP_MS = 1000;

export class OriginPool implements ConnectionOwner {
  readonly #parts: OriginPoolParts;
  readonly #clock: Clock;
  readonly #connections = new Set<Connection>();
  readonly #quarantine = new Quarantine((connection) => this.#offer(connection));
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Exchange>();
  readonly #queue: Transport;
  #cancelSweep: CancelTimer | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(parts: OriginPoolParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#queue = { drop: (exchange) => this.#waiting.delete(exchange), pause() {}, resume() {} };
  }

  send(exchange: Exchange): void {
    const isOneSoonIdle = this.#quarantine.size > this.#waiting.size;
    const connection = this.#takeIdle() ?? (isOneSoonIdle ? undefined : this.#open());
    if (connection) return carry(connection, exchange);
    exchange.attach(this.#queue);
    this.#waiting.add(exchange);
  }

  onIdle(connection: Connection): void {
    this.#quarantine.add(connection);
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection);
    this.#quarantine.remove(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      this.send(next);
    } else if (this.#connections.size === 0) this.#onEmpty?.();
  }

  /** Waits for the exchanges in flight; `send` must not be called afterwards. */
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
    // The last entry is the youngest, so all others have expired too.
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

/** An invalid request fails alone, and not before `send` has returned its call. */
function carry(connection: Connection, exchange: Exchange): void {
  try {
    connection.carry(exchange);
  } catch (error) {
    connection.close();
    const reason = error instanceof Error ? error : new Error('the request cannot be sent');
    queueMicrotask(() => exchange.failed(reason));
  }
}
