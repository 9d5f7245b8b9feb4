// One connection to a provider: carries one exchange at a time, and another when the answer before has come whole. It is
// given up for ever with the first thing that is wrong with it: a failure of the socket, bytes that are no answer, bytes
// that nobody asked for, an exchange that was aborted.
//
// States: busy ⇄ idle → gone. Opening is part of the first exchange; what is to be sent waits in the socket.

import type { Socket } from 'node:net';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { ONE_WRITE_BYTES } from '../../kernel/one-write.ts';
import type { AnswerHead } from './answer-head.ts';
import { AnswerParser, type AnswerSink } from './answer-parser.ts';
import type { Carrier, Exchange } from './exchange.ts';
import type { OpenSocket, Origin } from './open-socket.ts';
import { requestHead } from './request-text.ts';

export type ConnectionParts = {
  readonly origin: Origin;
  readonly openSocket: OpenSocket;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
};

export type ConnectionOwner = {
  /** It can carry another exchange, until `connection.idleUntilMs`. */
  onIdle(connection: Connection): void;
  /** It is over; told once. */
  onGone(connection: Connection): void;
};

/** How long an idle connection is kept when the server does not say. */
const KEPT_MS = 4000;
/** A server's word is taken with so much less, because its end may cross with our request. */
const KEPT_MARGIN_MS = 1000;
const MAX_KEPT_MS = 60_000;

export class Connection implements AnswerSink, Carrier {
  /** On the monotonic clock. */
  idleUntilMs = 0;
  readonly #parts: ConnectionParts;
  readonly #owner: ConnectionOwner;
  readonly #parser = new AnswerParser(this);
  readonly #socket: Socket;
  readonly #cancelConnecting: CancelTimer;
  #exchange: Exchange | undefined;
  #keepAliveMs: number | undefined;
  #error: Error | undefined;
  #isPaused = false;
  #isGone = false;

  constructor(parts: ConnectionParts, owner: ConnectionOwner) {
    const { origin, openSocket, connectTimeoutMs, clock } = parts;
    this.#parts = parts;
    this.#owner = owner;
    this.#socket = openSocket(origin, (bytes) => this.#take(bytes));
    this.#cancelConnecting = clock.after(connectTimeoutMs, () => this.#giveUp(connectTimeout()));
    this.#socket.once(origin.isSecure ? 'secureConnect' : 'connect', this.#cancelConnecting);
    this.#socket.on('error', (error) => {
      this.#error ??= error;
    });
    this.#socket.on('end', () => this.#finish());
    this.#socket.on('close', () => this.#giveUp(this.#error ?? closedEarly()));
  }

  /** Throws what is wrong with the request before a byte of it is sent. */
  carry(exchange: Exchange): void {
    const head = requestHead(exchange.request, this.#parts.origin.host);
    this.#exchange = exchange;
    exchange.carriedBy(this);
    send(this.#socket, head, exchange.request.body);
  }

  drop(): void {
    this.#exchange = undefined;
    this.close();
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  close(): void {
    this.#giveUp(closedEarly());
  }

  onHead(head: AnswerHead): void {
    this.#keepAliveMs = head.keepAliveMs;
    this.#exchange?.begun(head);
  }

  onData(chunk: Buffer): void {
    this.#exchange?.data(chunk);
  }

  onEnd(isClean: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    const keptMs = this.#keptMs();
    // Whoever paused it has all of it, and the next one has not paused anything.
    this.resume();
    // A server that answered before it had read everything may read the rest as another request.
    if (!isClean || keptMs <= 0 || this.#socket.writableLength > 0) this.close();
    else {
      this.idleUntilMs = this.#parts.clock.monotonic() + keptMs;
      this.#owner.onIdle(this);
    }
    exchange?.ended();
  }

  #keptMs(): number {
    if (this.#keepAliveMs === undefined) return KEPT_MS;
    return Math.min(this.#keepAliveMs - KEPT_MARGIN_MS, MAX_KEPT_MS);
  }

  #take(bytes: Buffer): void {
    if (this.#isGone) return;
    // While nothing is asked nothing is answered.
    if (!this.#exchange) return this.close();
    try {
      this.#parser.take(bytes);
    } catch (error) {
      this.#giveUp(error instanceof Error ? error : closedEarly());
    }
  }

  /** The server sends no more. */
  #finish(): void {
    if (this.#isGone || this.#parser.finish()) return;
    this.#giveUp(closedEarly());
  }

  #giveUp(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cancelConnecting();
    this.#parser.stop();
    this.#socket.destroy();
    this.#owner.onGone(this);
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.failed(error);
  }
}

function send(socket: Socket, head: string, body: Buffer | null): void {
  if (body === null) return void socket.write(head, 'latin1');
  // As a text it goes out in one plain write; latin1 keeps every byte as it is.
  if (body.length <= ONE_WRITE_BYTES)
    return void socket.write(head + body.toString('latin1'), 'latin1');
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body);
  socket.uncork();
}

function connectTimeout(): Error {
  return Object.assign(new Error('connecting took too long'), { name: 'ConnectTimeoutError' });
}

function closedEarly(): Error {
  return Object.assign(new Error('the connection ended too early'), { code: 'ECONNRESET' });
}
