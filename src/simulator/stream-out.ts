// Sends the events of one stream at the scenario's pace, with back-pressure from the caller. Can stop after a
// given number of content chunks, where stream faults begin, and resume. A disconnect ends every wait with
// the signal's reason.

import { once } from 'node:events';
import { sleep } from '../kernel/clock.ts';
import type { Exchange } from './exchange.ts';
import type { Framing } from './formats/framing.ts';
import type { StreamEvent } from './formats/wire-format.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { Script } from './scenario/script.ts';
import { BYTES_PER_TOKEN, tokensOfBytes } from './tokens.ts';

export type Pace = Pick<Scenario, 'tokensPerSecond' | 'chunkDelayMs'>;

export class StreamOut {
  readonly #exchange: Exchange;
  readonly #framing: Framing;
  readonly #events: Iterator<StreamEvent, void>;
  readonly #pace: Pace;
  readonly #totalTokens: number;
  readonly #startedAt: number;
  #pending: StreamEvent | undefined;
  #hasBegun = false;
  #contentBytes = 0;

  constructor(exchange: Exchange, framing: Framing, script: Script, pace: Pace) {
    this.#exchange = exchange;
    this.#framing = framing;
    this.#events = script.events();
    this.#pace = pace;
    this.#totalTokens = script.usage.outputTokens;
    this.#startedAt = exchange.clock.monotonic();
  }

  /** Sends up to `afterChunks` chunks of content and never the closing event. */
  async sendUntil(afterChunks: number): Promise<void> {
    for (let event = this.#next(); event; event = this.#next()) {
      const isContent = event.contentBytes > 0;
      if (event.isClosing || (isContent && this.#exchange.entry.chunksSent >= afterChunks)) {
        this.#pending = event;
        return;
      }
      await this.#send(event);
      if (isContent && this.#exchange.entry.chunksSent >= afterChunks) return;
    }
  }

  async sendRest(): Promise<void> {
    for (let event = this.#next(); event; event = this.#next()) await this.#send(event);
  }

  /** The next event as it would be sent, for faults that corrupt it. */
  nextFrame(): string {
    const event = this.#next();
    return event ? this.#frame(event) : '';
  }

  async sendEvent(event: StreamEvent): Promise<void> {
    await this.write(this.#frame(event));
  }

  async write(text: string): Promise<void> {
    const { response, signal } = this.#exchange;
    signal.throwIfAborted();
    if (!response.write(text)) await once(response, 'drain', { signal });
  }

  /** Resolves when all written bytes have left this process. */
  async flushed(): Promise<void> {
    const { response } = this.#exchange;
    await new Promise((resolve) => response.write('', resolve));
  }

  /** The bytes that end the stream cleanly in this framing. */
  get ending(): string {
    return this.#framing.end(this.#hasBegun);
  }

  #next(): StreamEvent | undefined {
    const pending = this.#pending;
    if (!pending) return this.#events.next().value ?? undefined;
    this.#pending = undefined;
    return pending;
  }

  async #send(event: StreamEvent): Promise<void> {
    if (event.contentBytes === 0) return this.write(this.#frame(event));
    const { entry, log } = this.#exchange;
    this.#contentBytes += event.contentBytes;
    await this.#keepPace();
    await this.write(this.#frame(event));
    log.progress(entry, Math.min(this.#totalTokens, tokensOfBytes(this.#contentBytes)));
  }

  #frame(event: StreamEvent): string {
    const text = this.#framing.frame(event, !this.#hasBegun);
    this.#hasBegun = true;
    return text;
  }

  /** Relative to the start of the stream, so that late timers do not accumulate. */
  async #keepPace(): Promise<void> {
    const { tokensPerSecond, chunkDelayMs = 0 } = this.#pace;
    const speaking = tokensPerSecond
      ? (this.#contentBytes / BYTES_PER_TOKEN / tokensPerSecond) * 1000
      : 0;
    const { clock, signal, entry } = this.#exchange;
    const dueAt = this.#startedAt + speaking + chunkDelayMs * (entry.chunksSent + 1);
    const waitMs = dueAt - clock.monotonic();
    if (waitMs > 0) await sleep(clock, waitMs, signal);
  }
}
