// Watches a provider's stream go by and tells what its relay must know: has content begun, has it ended as
// it should, did the provider report an error, what was used so far. It reads the bytes in place, parses
// only usage objects, changes nothing and never throws; what it cannot read it passes over.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Usage } from '../../kernel/usage.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  skipSpace,
} from '../json/peek-json-scan.ts';
import { createSseSplitter } from './sse-events.ts';
import { readAnthropicEvent } from './stream-reader-anthropic.ts';
import { type ArraySplitter, createArraySplitter } from './stream-reader-array.ts';
import type { StreamEvent, StreamSplitter } from './stream-reader-event.ts';
import { readGeminiEvent } from './stream-reader-gemini.ts';
import { readJoinedError } from './stream-reader-joined.ts';
import { readOpenaiEvent } from './stream-reader-openai.ts';
import {
  type EventReader,
  newStreamState,
  type StreamSigns,
  type StreamState,
} from './stream-reader-state.ts';
import { usageOf } from './usage-reader-counts.ts';

export type { StreamSigns } from './stream-reader-state.ts';

export type StreamReader = {
  /** The same object every time; `error` and `terminal` stay once they are set. */
  readonly signs: StreamSigns;
  push(chunk: Buffer): StreamSigns;
  /** To be asked when the stream has ended: was this a good end? An unfinished last event is read first. */
  isComplete(): boolean;
  /** What the stream itself said was used, so far; undefined when it has said nothing. */
  usage(): Usage | undefined;
  /** Bytes of text, thinking and tool calls, as written in JSON; what an estimate goes by. */
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
  readonly signs: StreamSigns;
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
    this.signs = this.#state.signs;
  }

  get outputBytes(): number {
    return this.#state.outputBytes;
  }

  push(chunk: Buffer): StreamSigns {
    const { signs } = this;
    if (chunk.length === 0) return signs;
    const splitter = this.#splitter ?? this.#choose(chunk);
    signs.broughtContent = false;
    signs.oversized = !splitter.feed(chunk);
    signs.pendingBytes = splitter.pendingBytes;
    if (this.#array?.isClosed && this.#state.isFinished) signs.terminal = true;
    return signs;
  }

  isComplete(): boolean {
    const { signs, format } = this.#state;
    const isCut = signs.pendingBytes > 0 && !this.#readLastEvent();
    if (signs.error) return false;
    if (signs.terminal) return true;
    return format !== 'anthropic' && !this.#array && this.#state.isFinished && !isCut;
  }

  usage(): Usage | undefined {
    return usageOf(this.#state.format, this.#state.counts);
  }

  /** Some servers close the connection before the empty line; a cut event is told by its last byte. */
  #readLastEvent(): boolean {
    this.#lastEventIsWhole = false;
    this.#isEnding = true;
    this.#splitter?.finish();
    this.#isEnding = false;
    this.signs.pendingBytes = 0;
    return this.#lastEventIsWhole;
  }

  #readEvent(event: StreamEvent): void {
    if (this.#isEnding) {
      const last = event.data[event.dataEnd - 1];
      this.#lastEventIsWhole = last === CLOSE_BRACE || last === CLOSE_BRACKET;
      if (!this.#lastEventIsWhole) return;
    }
    if (event.isJoined && readJoinedError(this.#state, event)) return;
    this.#read(this.#state, event);
  }

  /** Gemini streams an array when it was not asked for events; the first byte tells. */
  #choose(chunk: Buffer): StreamSplitter {
    const onEvent = (event: StreamEvent): void => this.#readEvent(event);
    const first = this.#state.format === 'gemini' ? chunk[skipSpace(chunk, 0)] : undefined;
    if (first === OPEN_BRACKET || first === OPEN_BRACE)
      this.#array = createArraySplitter(onEvent, this.#maxEventBytes);
    this.#splitter = this.#array ?? createSseSplitter(onEvent, this.#maxEventBytes);
    return this.#splitter;
  }
}
