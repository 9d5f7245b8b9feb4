// Assembles a stream into the body that the provider would have sent without streaming; jobs store that body. It takes
// the bytes that would be relayed, in chunks of any size, and gives the text so far at low cost and the body after a clean
// end. It ignores events that it cannot read and never throws. Beyond `maxBytes` it drops everything and has no body.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../json/scan.ts';
import type { StreamEvent, StreamSplitter } from '../streams/event.ts';
import { createArraySplitter } from '../streams/split-array.ts';
import { createSseSplitter } from '../streams/split-sse.ts';
import { createAnthropicGatherer } from './anthropic.ts';
import { createChatGatherer } from './chat.ts';
import type { FormatGatherer } from './format-gatherer.ts';
import { createGeminiGatherer } from './gemini.ts';
import { isRecord } from './join-fields.ts';
import { createResponsesGatherer } from './responses.ts';

export type StreamGatherer = {
  /** False once the stream has exceeded `maxBytes`. */
  push(bytes: Buffer): boolean;
  /** The text so far. */
  text(): string;
  /** Call once, after a clean end of the stream; undefined when the stream contained no response. */
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
    if (this.#size > this.#maxBytes) return this.#discard();
    this.#splitter ??= this.#choose(bytes);
    this.#splitter?.feed(bytes);
    return true;
  }

  text(): string {
    return this.#gatherer.text();
  }

  body(): Buffer | undefined {
    // Some servers close the connection before the empty line of the last event.
    this.#splitter?.finish();
    const answer = this.#gatherer.answer();
    return answer && written(answer);
  }

  #discard(): false {
    this.#splitter = undefined;
    this.#gatherer = GATHERERS[this.#format]();
    return false;
  }

  /** Gemini streams an array unless the request asks for events; the first byte that is not a space decides. */
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

/** OpenAI has two kinds of streams, and each event shows to which one it belongs. */
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
    // Not JSON, like the end marker `[DONE]`, or nested too deeply for JSON.parse.
  }
}

function written(answer: unknown): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(answer));
  } catch {
    return undefined;
  }
}
