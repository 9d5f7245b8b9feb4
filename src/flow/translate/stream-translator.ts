// Translates a provider's stream, event by event: bytes in, bytes out. It keeps one incomplete event and the text that
// readers and writers repeat at the end, both bounded. It throws for an event of another format, for
// an event that is too large, and for an end before the answer's.

import { type AnswerIdentity, identifyEvent } from '../../translation/answer-identity.ts';
import type { NeutralStreamReader, NeutralStreamWriter } from '../../translation/dialect.ts';
import { TranslationProblem } from '../../translation/dialect.ts';
import { isObject } from '../../translation/fields.ts';
import type { NeutralEvent } from '../../translation/neutral-answer.ts';
import { StreamGrammar } from '../../translation/stream-grammar.ts';
import type { StreamEvent } from '../../upstream/streams/event.ts';
import { createSseSplitter } from '../../upstream/streams/split-sse.ts';

const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream; charset=utf-8';
const OPEN_BRACE = 0x7b;

/** A function call of Gemini and the last event of Responses are one event each. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;

export class StreamTranslator {
  readonly contentType: string;
  readonly #reader: NeutralStreamReader;
  readonly #writer: NeutralStreamWriter;
  readonly #identity: AnswerIdentity;
  readonly #grammar = new StreamGrammar();
  readonly #splitter = createSseSplitter((event) => this.#read(event), MAX_EVENT_BYTES);
  #out = '';

  constructor(
    reader: NeutralStreamReader,
    writer: NeutralStreamWriter,
    { isArray, ...identity }: AnswerIdentity & { readonly isArray: boolean },
  ) {
    this.#reader = reader;
    this.#writer = writer;
    this.#identity = identity;
    this.contentType = isArray ? JSON_TYPE : SSE_TYPE;
  }

  /** The caller's bytes for these bytes of the provider; empty while nothing can be written. */
  push(bytes: Buffer): Buffer {
    this.#splitter.feed(bytes);
    return this.#take();
  }

  /** As `push`, for the last bytes of a stream that ended cleanly. */
  end(bytes: Buffer): Buffer {
    this.#splitter.feed(bytes);
    this.#splitter.finish();
    this.#write(this.#reader.end());
    this.#grammar.end();
    return this.#take();
  }

  #take(): Buffer {
    const bytes = Buffer.from(this.#out);
    this.#out = '';
    return bytes;
  }

  /** Comments, and the `[DONE]` of OpenAI's format, are not JSON objects. */
  #read({ data, dataStart, dataEnd, name, nameStart, nameEnd, isWhole }: StreamEvent): void {
    if (!isWhole) throw new TranslationProblem('stream', 'has an event that is too large');
    if (data[dataStart] !== OPEN_BRACE) return;
    const parsed: unknown = JSON.parse(data.toString('utf8', dataStart, dataEnd));
    if (!isObject(parsed)) return;
    this.#write(this.#reader.push(name.toString('utf8', nameStart, nameEnd), parsed));
  }

  #write(events: readonly NeutralEvent[]): void {
    for (const event of events)
      if (this.#grammar.accept(event))
        this.#out += this.#writer.write(identifyEvent(event, this.#identity));
  }
}
