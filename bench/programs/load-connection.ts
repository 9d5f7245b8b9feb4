// One keep-alive connection of the load generator: sends its bytes, waits for the whole answer, reports the outcome. A
// failed connection stays failed, because a benchmark with failures is void.
//
// States: idle → busy → idle, and from either → failed.

import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { ResponseReader } from './response-reader.ts';

export type Answer = {
  readonly firstByteMs: number;
  readonly wholeMs: number;
};

export type AnswerListener = {
  onFirstByte(): void;
  onAnswer(answer: Answer): void;
  onFailure(reason: string): void;
};

/**
 * The bytes of the next request. A request is sent only after the previous one was answered, so the function may reuse
 * its buffer.
 */
export type NextRequest = () => Buffer;

export class LoadConnection {
  readonly #socket: Socket;
  readonly #nextRequest: NextRequest;
  readonly #expectedBytes: number;
  readonly #reader = new ResponseReader();
  #listener: AnswerListener | undefined;
  #sentAt = 0;
  #firstByteAt = 0;
  #failure: string | undefined;

  private constructor(socket: Socket, nextRequest: NextRequest, expectedBytes: number) {
    this.#socket = socket;
    this.#nextRequest = nextRequest;
    this.#expectedBytes = expectedBytes;
    socket.setNoDelay(true);
    socket.on('data', (arrived: Buffer) => this.#onData(arrived));
    socket.on('error', (error) => this.#fail(error.message));
    socket.on('close', () => this.#fail('the connection was closed'));
  }

  static open(
    port: number,
    nextRequest: NextRequest,
    expectedBytes: number,
  ): Promise<LoadConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new LoadConnection(socket, nextRequest, expectedBytes));
      });
    });
  }

  send(listener: AnswerListener): void {
    if (this.#failure !== undefined) {
      listener.onFailure(this.#failure);
      return;
    }
    this.#listener = listener;
    this.#reader.reset();
    this.#firstByteAt = 0;
    this.#sentAt = performance.now();
    this.#socket.write(this.#nextRequest());
  }

  close(): void {
    this.#listener = undefined;
    this.#socket.destroy();
  }

  #onData(arrived: Buffer): void {
    try {
      const isComplete = this.#reader.read(arrived);
      if (this.#firstByteAt === 0 && this.#reader.bodyBytes > 0) {
        this.#firstByteAt = performance.now();
        this.#listener?.onFirstByte();
      }
      if (isComplete) this.#finish();
    } catch (error) {
      this.#fail(String(error));
    }
  }

  #finish(): void {
    const { status, bodyBytes, errorText } = this.#reader;
    if (status !== 200) return this.#fail(`status ${status}: ${errorText}`);
    if (bodyBytes !== this.#expectedBytes)
      return this.#fail(`a body of ${bodyBytes} bytes instead of ${this.#expectedBytes}`);
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onAnswer({
      firstByteMs: this.#firstByteAt - this.#sentAt,
      wholeMs: performance.now() - this.#sentAt,
    });
  }

  #fail(reason: string): void {
    this.#failure ??= reason;
    this.#socket.destroy();
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onFailure(this.#failure);
  }
}
