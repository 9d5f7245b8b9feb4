// Reads a provider's stream while it is relayed and reports the facts the relay acts on: whether content has begun,
// whether the stream ended cleanly, whether the provider reported an error, and the usage so far. It reads the bytes in
// place, parses only usage objects and never throws. An event that is not JSON is an error.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import {
  bytesEqual,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from '../json/scan.ts';
import { isWellFormed } from '../json/well-formed.ts';
import { readAnthropicEvent } from './anthropic.ts';
import type { StreamEvent, StreamSplitter } from './event.ts';
import { readGeminiEvent } from './gemini.ts';
import { endRefusal, readOpenaiEvent } from './openai.ts';
import { type ArraySplitter, createArraySplitter } from './split-array.ts';
import { createSseSplitter, isForeignStart, type OnForeign } from './split-sse.ts';
import {
  type EventReader,
  newStreamState,
  noteError,
  noteForeign,
  noteJoinedError,
  type StreamState,
  type StreamStatus,
} from './state.ts';
import { hasNoOutput, usageOf } from './usage-counts.ts';

export type StreamReader = {
  /** One object for the whole stream; `error` and `terminal` stay once they are set. */
  readonly status: StreamStatus;
  push(chunk: Buffer): StreamStatus;
  /** Call when the stream has ended: was the end clean? Reads an unterminated last event first. */
  isComplete(): boolean;
  /** A refusal in place of an answer that is not reported yet, because its usage may follow; undefined without one. */
  refusal(): Buffer | undefined;
  /** The kind of the incomplete event, by its beginning. */
  pendingKind(): PendingKind;
  /** The usage that the stream has reported so far; undefined when it has reported none. */
  usage(): MeteredUsage | undefined;
  /** Bytes of text, thinking and tool calls, as written in JSON; the basis of an estimate. */
  readonly outputBytes: number;
};

/** `response`: an event of the Responses API, which may repeat the errors of the caller's tools. */
export type PendingKind = 'error' | 'response' | 'unknown';

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

/** The name or type of an event is at its beginning. */
const MAX_KIND_BYTES = 512;
const ERROR_KIND = /^event: ?(?:error|response\.failed)\b|"type" ?: ?"(?:error|response\.failed)"/;
const RESPONSE_KIND = /^event: ?response\.(?!failed)|"type" ?: ?"response\.(?!failed)/;

/**
 * An event that is neither a JSON object nor an end marker. No format has events that are a list or a text, but providers
 * report failures so: Google's OpenAI endpoint as `[{"error":…}]`. An event that lost its middle cannot be judged. */
function isMalformed({ data, dataStart, dataEnd, isWhole, isJoined }: StreamEvent): boolean {
  if (!isWhole || isJoined || dataEnd === dataStart) return false;
  const first = data[dataStart];
  const isListOrText = first === OPEN_BRACKET || first === QUOTE;
  if (!isListOrText && isWellFormed(data, dataStart, dataEnd)) return false;
  return !bytesEqual(data, dataStart, dataEnd, '[DONE]');
}

class FormatStreamReader implements StreamReader {
  readonly status: StreamStatus;
  readonly #state: StreamState;
  readonly #maxEventBytes: number | undefined;
  #splitter: StreamSplitter | undefined;
  readonly #read: EventReader;
  #array: ArraySplitter | undefined;
  #isEnding = false;
  /** The output bytes that the latest reported count includes: those up to the end of its event. */
  #reportedBytes = 0;
  #outputReports = 0;
  #lastEventIsWhole = false;
  /** The lines up to the latest chunk with content. */
  #contentLines = 0;

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
    if (status.broughtContent) this.#contentLines = splitter.lines;
    status.idleLines = splitter.lines - this.#contentLines;
    if (this.#array?.isClosed && this.#state.isFinished) {
      status.terminal = true;
      status.terminalEnd ??= this.#array.closedEnd;
    }
    return status;
  }

  isComplete(): boolean {
    const { status, format } = this.#state;
    const isCut = status.pendingBytes > 0 && !this.#readLastEvent();
    if (this.#state.refusal) endRefusal(this.#state, this.#state.refusal);
    if (status.error) return false;
    if (status.terminal) return true;
    return format !== 'anthropic' && !this.#array && this.#state.isFinished && !isCut;
  }

  refusal(): Buffer | undefined {
    const { status, refusal } = this.#state;
    return status.answerBegan ? undefined : refusal;
  }

  pendingKind(): PendingKind {
    const head = this.#splitter?.pendingHead();
    if (!head) return 'unknown';
    if (!this.#array && isForeignStart(head)) return 'error';
    const text = head.toString('latin1', 0, MAX_KIND_BYTES);
    if (ERROR_KIND.test(text)) return 'error';
    return RESPONSE_KIND.test(text) ? 'response' : 'unknown';
  }

  usage(): MeteredUsage | undefined {
    const { format, counts, outputBytes } = this.#state;
    const isBehind = outputBytes > this.#reportedBytes;
    return usageOf(format, counts, isBehind || (outputBytes > 0 && hasNoOutput(counts)));
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
    // Behind the end marker nothing is relayed, so nothing there matters.
    if (this.status.terminal) return;
    if (this.#isEnding) {
      const last = event.data[event.dataEnd - 1];
      this.#lastEventIsWhole =
        (last === CLOSE_BRACE || last === CLOSE_BRACKET) && !isMalformed(event);
      if (!this.#lastEventIsWhole) return;
    }
    if (event.isJoined && noteJoinedError(this.#state, event)) return;
    if (isMalformed(event)) return this.#noteMalformed(event);
    this.#read(this.#state, event);
    const { status, counts, outputBytes } = this.#state;
    if (counts.outputReports !== this.#outputReports) {
      this.#outputReports = counts.outputReports;
      this.#reportedBytes = outputBytes;
    }
    if (status.terminal && event.end > 0) status.terminalEnd ??= event.end;
  }

  /** If it were relayed, the caller's parser would throw in the middle of an answer. */
  #noteMalformed({ data, dataStart, dataEnd }: StreamEvent): void {
    if (!this.#state.status.terminal) noteError(this.#state, data, dataStart, dataEnd);
  }

  /** Gemini streams an array unless the request asks for events; the first byte distinguishes the two. */
  #choose(chunk: Buffer): StreamSplitter {
    const onEvent = (event: StreamEvent): void => this.#readEvent(event);
    const onForeign: OnForeign = (bytes, start, end) => noteForeign(this.#state, bytes, start, end);
    const first = this.#state.format === 'gemini' ? chunk[skipSpace(chunk, 0)] : undefined;
    if (first === OPEN_BRACKET || first === OPEN_BRACE)
      this.#array = createArraySplitter(onEvent, this.#maxEventBytes, onForeign);
    this.#splitter = this.#array ?? createSseSplitter(onEvent, this.#maxEventBytes, onForeign);
    return this.#splitter;
  }
}
