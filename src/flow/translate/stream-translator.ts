// Translates a provider's stream, event by event: bytes in, bytes out. It keeps one incomplete event and what the readers
// and writers remember of the current part. An event that is not one of the provider's format throws.

import type { NeutralStreamReader, NeutralStreamWriter } from '../../translation/dialect.ts';
import { isObject } from '../../translation/fields.ts';
import type { NeutralEvent } from '../../translation/neutral-answer.ts';
import type { StreamEvent } from '../../upstream/streams/event.ts';
import { createSseSplitter } from '../../upstream/streams/split-sse.ts';

const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream; charset=utf-8';
const OPEN_BRACE = 0x7b;

export class StreamTranslator {
  readonly contentType: string;
  readonly #reader: NeutralStreamReader;
  readonly #writer: NeutralStreamWriter;
  readonly #identity: { readonly id: string; readonly createdAt: number };
  readonly #splitter = createSseSplitter((event) => this.#read(event));
  #out = '';

  constructor(
    reader: NeutralStreamReader,
    writer: NeutralStreamWriter,
    {
      isArray,
      ...identity
    }: { readonly isArray: boolean; readonly id: string; readonly createdAt: number },
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
    return this.#take();
  }

  #take(): Buffer {
    const bytes = Buffer.from(this.#out);
    this.#out = '';
    return bytes;
  }

  /** Comments, and the `[DONE]` of OpenAI's format, are not JSON objects. */
  #read({ data, dataStart, dataEnd, name, nameStart, nameEnd }: StreamEvent): void {
    if (data[dataStart] !== OPEN_BRACE) return;
    const parsed: unknown = JSON.parse(data.toString('utf8', dataStart, dataEnd));
    if (!isObject(parsed)) return;
    this.#write(this.#reader.push(name.toString('utf8', nameStart, nameEnd), parsed));
  }

  #write(events: readonly NeutralEvent[]): void {
    for (const event of events)
      this.#out += this.#writer.write(
        event.kind === 'start' ? { ...event, ...this.#identity } : event,
      );
  }
}
