// A stream as the one answer it amounts to: for work that nobody reads along, such as a job's. It is given the bytes that
// would be relayed, cut anywhere, and tells the words so far, which is cheap, and at the good end of the stream the body
// that the provider would have answered without streaming. What it cannot read it passes over; it never throws. Bounded:
// beyond `maxBytes` of stream everything is let go and there is no answer.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../json/peek-json-scan.ts';
import { createSseSplitter } from '../streams/sse-events.ts';
import { createArraySplitter } from '../streams/stream-reader-array.ts';
import type { StreamEvent, StreamSplitter } from '../streams/stream-reader-event.ts';
import { createAnthropicGatherer } from './gather-stream-anthropic.ts';
import { createChatGatherer } from './gather-stream-chat.ts';
import type { FormatGatherer } from './gather-stream-format.ts';
import { createGeminiGatherer } from './gather-stream-gemini.ts';
import { isRecord } from './gather-stream-join.ts';
import { createResponsesGatherer } from './gather-stream-responses.ts';

export type StreamGatherer = {
  /** False once there was more than can be kept. */
  push(bytes: Buffer): boolean;
  /** The words so far. */
  text(): string;
  /** To be asked once, when the stream has come to its good end; undefined when there is no answer in it. */
  body(): Buffer | undefined;
};

export function createStreamGatherer(format: ProviderFormat, maxBytes: number): StreamGatherer {
  return new BoundedGatherer(format, maxBytes);
}

class BoundedGatherer implements StreamGatherer {
  readonly #format: ProviderFormat;
  readonly #maxBytes: number;
  #gatherer: FormatGatherer;
  #splitter: StreamSplitter | undefined;
  #size = 0;

  constructor(format: ProviderFormat, maxBytes: number) {
    this.#format = format;
    this.#maxBytes = maxBytes;
    this.#gatherer = GATHERERS[format]();
  }

  push(bytes: Buffer): boolean {
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) return this.#letGo();
    this.#splitter ??= this.#choose(bytes);
    this.#splitter?.feed(bytes);
    return true;
  }

  text(): string {
    return this.#gatherer.text();
  }

  body(): Buffer | undefined {
    // Some servers close the connection without the empty line behind the last event.
    this.#splitter?.finish();
    const answer = this.#gatherer.answer();
    return answer && written(answer);
  }

  #letGo(): false {
    this.#splitter = undefined;
    this.#gatherer = GATHERERS[this.#format]();
    return false;
  }

  /** Gemini streams an array when it was not asked for events; the first byte that is no space tells. */
  #choose(bytes: Buffer): StreamSplitter | undefined {
    const first = bytes[skipSpace(bytes, 0)];
    if (first === undefined) return undefined;
    const onEvent = (event: StreamEvent): void => readEvent(this.#gatherer, event);
    const isArray = this.#format === 'gemini' && (first === OPEN_BRACKET || first === OPEN_BRACE);
    const create = isArray ? createArraySplitter : createSseSplitter;
    return create(onEvent, this.#maxBytes);
  }
}

const GATHERERS: Record<ProviderFormat, () => FormatGatherer> = {
  anthropic: createAnthropicGatherer,
  openai: createOpenaiGatherer,
  gemini: createGeminiGatherer,
};

/** OpenAI has two kinds of streams, and each event says itself which one it is of. */
function createOpenaiGatherer(): FormatGatherer {
  const chat = createChatGatherer();
  const responses = createResponsesGatherer();
  return {
    read: (event, kind) => (kind.startsWith('response.') ? responses : chat).read(event, kind),
    text: () => responses.text() || chat.text(),
    answer: () => responses.answer() ?? chat.answer(),
  };
}

function readEvent(gatherer: FormatGatherer, event: StreamEvent): void {
  const { data, dataStart, dataEnd, name, nameStart, nameEnd } = event;
  try {
    const value: unknown = JSON.parse(data.toString('utf8', dataStart, dataEnd));
    if (!isRecord(value)) return;
    const { type } = value;
    const kind = typeof type === 'string' ? type : name.toString('utf8', nameStart, nameEnd);
    gatherer.read(value, kind);
  } catch {
    // No JSON, as the mark of the end is none, or nested more deeply than anything that is meant.
  }
}

function written(answer: unknown): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(answer));
  } catch {
    return undefined;
  }
}
