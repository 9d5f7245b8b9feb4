// One connection to a provider: carries one exchange at a time, and the next when the response is complete. The first
// fault closes it for good: a socket error, malformed bytes, unsolicited bytes, an aborted exchange.
//
// States: busy ⇄ idle → closed. Connecting is part of the first exchange; its request waits in the socket's buffer.

import type { Socket } from 'node:net';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { TurnQueue } from '../../kernel/next-turn.ts';
import type { Exchange, Transport } from './exchange.ts';
import type { OpenSocket, Origin } from './open-socket.ts';
import type { RequestHeads } from './request-head.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseParser, type ResponseSink } from './response-parser.ts';
import type { SendRequest } from './send-request.ts';

export type ConnectionParts = {
  readonly origin: Origin;
  readonly openSocket: OpenSocket;
  readonly heads: RequestHeads;
  readonly sendRequest: SendRequest;
  /**
   * Shares the event loop between the connections of large answers. libuv reads up to two megabytes of one socket before it serves
   * another: a few hundred fast streams would block the process for seconds.
   */
  readonly readTurns: TurnQueue;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
};

export type ConnectionOwner = {
  /** The connection can carry another exchange, until `connection.idleUntilMs`. */
  onIdle(connection: Connection): void;
  /** The connection is closed; called once. */
  onClosed(connection: Connection): void;
};

/** How long an idle connection stays open when the server states no time. */
const DEFAULT_IDLE_MS = 4000;
/** Subtracted from the server's keep-alive time: its close may cross with the next request. */
const IDLE_MARGIN_MS = 1000;
const MAX_IDLE_MS = 60_000;
/** From this size on, a read is assumed to be one of many. TLS delivers pieces of this size. */
const LARGE_READ_BYTES = 16 * 1024;

export class Connection implements ResponseSink, Transport {
  /** A timestamp on the monotonic clock. */
  idleUntilMs = 0;
  readonly #parts: ConnectionParts;
  readonly #owner: ConnectionOwner;
  readonly #parser = new ResponseParser(this);
  readonly #socket: Socket;
  readonly #cancelConnecting: CancelTimer;
  #exchange: Exchange | undefined;
  #keepAliveMs: number | undefined;
  #error: Error | undefined;
  #isPaused = false;
  /** The latest read was large: the next one needs a turn. */
  #needsTurn = false;
  /** Waits for its turn to read on. */
  #isWaiting = false;
  #isClosed = false;

  constructor(parts: ConnectionParts, owner: ConnectionOwner) {
    const { origin, openSocket, connectTimeoutMs, clock } = parts;
    this.#parts = parts;
    this.#owner = owner;
    this.#socket = openSocket(origin, (bytes) => this.#take(bytes));
    this.#cancelConnecting = clock.after(connectTimeoutMs, () => this.#fail(connectTimeout()));
    this.#socket.once(origin.isSecure ? 'secureConnect' : 'connect', this.#cancelConnecting);
    this.#socket.on('error', (error) => {
      this.#error ??= error;
    });
    this.#socket.on('end', () => this.#finish());
    this.#socket.on('close', () => this.#fail(this.#error ?? closedEarly()));
  }

  /** Throws on an invalid request, before any byte is sent. */
  carry(exchange: Exchange): void {
    const { heads, sendRequest } = this.#parts;
    const { request } = exchange;
    const head = heads.bytesOf(request);
    this.#exchange = exchange;
    exchange.attach(this);
    sendRequest(this.#socket, head, request.body);
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
    this.#readOn();
  }

  close(): void {
    this.#fail(closedEarly());
  }

  onHead(head: ResponseHead): void {
    this.#keepAliveMs = head.keepAliveMs;
    this.#exchange?.begun(head);
  }

  onData(chunk: Buffer): void {
    this.#exchange?.data(chunk);
  }

  onEnd(isClean: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    const idleMs = this.#idleMs();
    // A pause belongs to the finished exchange, not to the next one.
    if (this.#isPaused || this.#needsTurn) this.#socket.resume();
    this.#isPaused = false;
    this.#needsTurn = false;
    // A server that responded before it read the whole request may parse the rest as another request.
    if (!isClean || idleMs <= 0 || this.#socket.writableLength > 0) this.close();
    else {
      this.idleUntilMs = this.#parts.clock.monotonic() + idleMs;
      this.#owner.onIdle(this);
    }
    exchange?.ended();
  }

  #idleMs(): number {
    if (this.#keepAliveMs === undefined) return DEFAULT_IDLE_MS;
    return Math.min(this.#keepAliveMs - IDLE_MARGIN_MS, MAX_IDLE_MS);
  }

  #take(bytes: Buffer): void {
    if (this.#isClosed) return;
    // Bytes without a request in flight are unsolicited.
    if (!this.#exchange) return this.close();
    try {
      this.#parser.take(bytes);
    } catch (error) {
      this.#fail(error instanceof Error ? error : closedEarly());
    }
    if (bytes.length < LARGE_READ_BYTES || !this.#exchange) return;
    this.#needsTurn = true;
    this.#socket.pause();
    if (!this.#isPaused) this.#readOn();
  }

  /** Many callers may take their bytes at once, so that the end of back-pressure needs a turn, too. */
  #readOn(): void {
    if (this.#isWaiting) return;
    if (!this.#needsTurn) return void this.#socket.resume();
    this.#isWaiting = true;
    this.#parts.readTurns.wait(() => {
      this.#isWaiting = false;
      if (this.#isPaused || this.#isClosed) return;
      this.#needsTurn = false;
      this.#socket.resume();
    });
  }

  /** The server has closed its side. */
  #finish(): void {
    if (this.#isClosed || this.#parser.finish()) return;
    this.#fail(closedEarly());
  }

  #fail(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelConnecting();
    this.#parser.stop();
    this.#socket.destroy();
    this.#owner.onClosed(this);
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.failed(error);
  }
}

function connectTimeout(): Error {
  return Object.assign(new Error('connecting took too long'), { name: 'ConnectTimeoutError' });
}

function closedEarly(): Error {
  return Object.assign(new Error('the connection ended too early'), { code: 'ECONNRESET' });
}
