// Reads a provider's stream while it is relayed and reports the facts the relay acts on: whether content has begun,
// whether the stream ended cleanly, whether the provider reported an error, and the usage so far. It reads the bytes in
// place, parses only usage objects, never throws, and ignores events that it cannot read.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Usage } from '../../kernel/usage.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../json/scan.ts';
import { readAnthropicEvent } from './anthropic.ts';
import type { StreamEvent, StreamSplitter } from './event.ts';
import { readGeminiEvent } from './gemini.ts';
import { readOpenaiEvent } from './openai.ts';
import { type ArraySplitter, createArraySplitter } from './split-array.ts';
import { createSseSplitter } from './split-sse.ts';
import {
  type EventReader,
  newStreamState,
  noteJoinedError,
  type StreamState,
  type StreamStatus,
} from './state.ts';
import { usageOf } from './usage-counts.ts';

export type StreamReader = {
  /** One object for the whole stream; `error` and `terminal` stay once they are set. */
  readonly status: StreamStatus;
  push(chunk: Buffer): StreamStatus;
  /** Call when the stream has ended: was the end clean? Reads an unterminated last event first. */
  isComplete(): boolean;
  /** The usage that the stream has reported so far; undefined when it has reported none. */
  usage(): Usage | undefined;
  /** Bytes of text, thinking and tool calls, as written in JSON; the basis of an estimate. */
  readonly outputBytes: number;
};

export type StreamReaderOptions = { readonly maxEventBytes?: number };

export function createStreamReader(
  format: ProviderFormat,
  options: StreamReaderOptions = {},
): StreamReader {
  return new FormatStreamReader(format, options.maxEventBytes);
}

const EVENT_READERS: Record<ProviderFormat, EventReader> = {
  anthropic: readAnthropicEvent,
  openai: readOpenaiEvent,
  gemini: readGeminiEvent,
};

class FormatStreamReader implements StreamReader {
  readonly status: StreamStatus;
  readonly #state: StreamState;
  readonly #maxEventBytes: number | undefined;
  #splitter: StreamSplitter | undefined;
  readonly #read: EventReader;
  #array: ArraySplitter | undefined;
  #isEnding = false;
  #lastEventIsWhole = false;

  constructor(format: ProviderFormat, maxEventBytes: number | undefined) {
    this.#state = newStreamState(format);
    this.#read = EVENT_READERS[format];
    this.#maxEventBytes = maxEventBytes;
    this.status = this.#state.status;
  }

  get outputBytes(): number {
    return this.#state.outputBytes;
  }

  push(chunk: Buffer): StreamStatus {
    const { status } = this;
    if (chunk.length === 0) return status;
    const splitter = this.#splitter ?? this.#choose(chunk);
    status.broughtContent = false;
    status.oversized = !splitter.feed(chunk);
    status.pendingBytes = splitter.pendingBytes;
    if (this.#array?.isClosed && this.#state.isFinished) status.terminal = true;
    return status;
  }

  isComplete(): boolean {
    const { status, format } = this.#state;
    const isCut = status.pendingBytes > 0 && !this.#readLastEvent();
    if (status.error) return false;
    if (status.terminal) return true;
    return format !== 'anthropic' && !this.#array && this.#state.isFinished && !isCut;
  }

  usage(): Usage | undefined {
    return usageOf(this.#state.format, this.#state.counts);
  }

  /** Some servers close the connection before the last empty line. An event without a closing bracket is cut. */
  #readLastEvent(): boolean {
    this.#lastEventIsWhole = false;
    this.#isEnding = true;
    this.#splitter?.finish();
    this.#isEnding = false;
    this.status.pendingBytes = 0;
    return this.#lastEventIsWhole;
  }

  #readEvent(event: StreamEvent): void {
    if (this.#isEnding) {
      const last = event.data[event.dataEnd - 1];
      this.#lastEventIsWhole = last === CLOSE_BRACE || last === CLOSE_BRACKET;
      if (!this.#lastEventIsWhole) return;
    }
    if (event.isJoined && noteJoinedError(this.#state, event)) return;
    this.#read(this.#state, event);
  }

  /** Gemini streams an array unless the request asks for events; the first byte distinguishes the two. */
  #choose(chunk: Buffer): StreamSplitter {
    const onEvent = (event: StreamEvent): void => this.#readEvent(event);
    const first = this.#state.format === 'gemini' ? chunk[skipSpace(chunk, 0)] : undefined;
    if (first === OPEN_BRACKET || first === OPEN_BRACE)
      this.#array = createArraySplitter(onEvent, this.#maxEventBytes);
    this.#splitter = this.#array ?? createSseSplitter(onEvent, this.#maxEventBytes);
    return this.#splitter;
  }
}
