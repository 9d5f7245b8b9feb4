// Neutral events → Gemini's stream: each piece is a separate answer; a function call is written whole, at its end. The
// last answer has the finish reason and the usage. Without `alt=sse` the stream is one JSON array.

import type { NeutralStreamWriter, StreamTerms } from '../dialect.ts';
import type { NeutralEvent, StartedPart } from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { finishReason, writePart, writeUsage } from './answer.ts';
import { answeredProof, writeThought } from './thought-signatures.ts';

export class GenerateStreamWriter implements NeutralStreamWriter {
  readonly #terms: StreamTerms;
  #id = '';
  #started: StartedPart | undefined;
  #hasWritten = false;
  /** The proof of the last thought, for the part that follows it. */
  #proof: string | undefined;

  constructor(terms: StreamTerms) {
    this.#terms = terms;
  }

  write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        this.#id = event.id;
        return '';
      case 'part_start':
        this.#started = event.part;
        return event.part.kind === 'reasoning' ? this.#flushProof() : '';
      case 'delta':
        return this.#piece(event.text);
      case 'part_end':
        return this.#endPart(event);
      case 'end':
        return this.#end(event);
    }
  }

  #piece(text: string): string {
    const { kind } = this.#started ?? { kind: 'text' };
    if (kind === 'tool_call') return '';
    return this.#chunk([kind === 'reasoning' ? { text, thought: true } : this.#signed({ text })]);
  }

  #signed(part: JsonObject): JsonObject {
    const proof = this.#proof;
    this.#proof = undefined;
    return proof === undefined ? part : { ...part, thoughtSignature: proof };
  }

  #flushProof(): string {
    const parts = writeThought('', this.#proof);
    this.#proof = undefined;
    return parts.length === 0 ? '' : this.#chunk(parts);
  }

  #endPart({ part }: Extract<NeutralEvent, { kind: 'part_end' }>): string {
    if (part.kind === 'tool_call')
      return this.#chunk(writePart(part).map((each) => this.#signed(each)));
    if (part.kind === 'reasoning') this.#proof = answeredProof(part);
    return '';
  }

  #end({ stop, usage }: Extract<NeutralEvent, { kind: 'end' }>): string {
    const begin = this.#flushProof();
    const candidate = {
      content: { role: 'model', parts: [{ text: '' }] },
      finishReason: finishReason(stop),
      index: 0,
    };
    const last = this.#framed({ candidates: [candidate], usageMetadata: writeUsage(usage) });
    return begin + (this.#terms.isArray ? `${last}]` : last);
  }

  #chunk(parts: readonly JsonObject[]): string {
    return this.#framed({ candidates: [{ content: { role: 'model', parts }, index: 0 }] });
  }

  #framed(fields: JsonObject): string {
    const { model, isArray } = this.#terms;
    const json = JSON.stringify({ ...fields, modelVersion: model, responseId: this.#id });
    if (!isArray) return `data: ${json}\r\n\r\n`;
    const begin = this.#hasWritten ? ',\r\n' : '[';
    this.#hasWritten = true;
    return begin + json;
  }
}
