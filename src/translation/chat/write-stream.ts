// Neutral events → OpenAI's stream of chunks: the role first, then the pieces, the finish reason, the usage if the
// caller asked for it, and `[DONE]`.

import type { NeutralStreamWriter, StreamTerms } from '../dialect.ts';
import { withPrefix } from '../ids.ts';
import type { NeutralEvent, StartedPart } from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { wrapSignature } from '../signature.ts';
import { finishReason, writeUsage } from './answer.ts';

export class ChatStreamWriter implements NeutralStreamWriter {
  readonly #terms: StreamTerms;
  /** The fields that every chunk begins with, as JSON without the last brace. */
  #head = '';
  readonly #tail: string;
  #started: StartedPart | undefined;
  #hasRole = false;
  #isRefused = false;
  #calls = -1;

  constructor(terms: StreamTerms) {
    this.#terms = terms;
    this.#tail = terms.includesUsage ? ',"usage":null}' : '}';
  }

  write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        this.#head = headOf(event, this.#terms.model);
        return '';
      case 'part_start':
        return this.#begin(event.part);
      case 'delta':
        return this.#chunk(this.#piece(event.text));
      case 'part_end':
        return this.#signature(event);
      case 'end':
        return this.#end(event);
    }
  }

  /** The content of an answer that begins with a call is null. */
  #role(content: string | null): string {
    if (this.#hasRole) return '';
    this.#hasRole = true;
    return this.#chunk({ role: 'assistant', content, refusal: null });
  }

  #begin(part: StartedPart): string {
    this.#started = part;
    if (part.kind === 'refusal') this.#isRefused = true;
    if (part.kind !== 'tool_call') return this.#role('');
    const role = this.#role(null);
    this.#calls += 1;
    const { name } = part;
    const id = withPrefix('call_', part.id);
    const call = { index: this.#calls, id, type: 'function', function: { name, arguments: '' } };
    return role + this.#chunk({ tool_calls: [call] });
  }

  #piece(text: string): JsonObject {
    switch (this.#started?.kind) {
      case 'tool_call':
        return { tool_calls: [{ index: this.#calls, function: { arguments: text } }] };
      case 'reasoning':
        return { reasoning_content: text };
      case 'refusal':
        return { refusal: text };
      case 'text':
      case undefined:
        return { content: text };
    }
  }

  #signature({ part }: Extract<NeutralEvent, { kind: 'part_end' }>): string {
    if (part.kind !== 'reasoning' || !part.signature) return '';
    return this.#chunk({
      reasoning_signature: wrapSignature(part.signature, 'chat', part.isRedacted),
    });
  }

  #end({ stop, usage }: Extract<NeutralEvent, { kind: 'end' }>): string {
    const last = this.#role('') + this.#chunk({}, `"${finishReason(stop, this.#isRefused)}"`);
    const counted = this.#terms.includesUsage
      ? `data: ${this.#head},"choices":[],"usage":${JSON.stringify(writeUsage(usage))}}\n\n`
      : '';
    return `${last}${counted}data: [DONE]\n\n`;
  }

  /** A stream consists mostly of chunks, so only their deltas are serialised. */
  #chunk(delta: JsonObject, reason = 'null'): string {
    const choice = `{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${reason}}`;
    return `data: ${this.#head},"choices":[${choice}]${this.#tail}\n\n`;
  }
}

function headOf({ id, createdAt }: Extract<NeutralEvent, { kind: 'start' }>, model: string) {
  const head = {
    id: withPrefix('chatcmpl-', id),
    object: 'chat.completion.chunk',
    created: Math.floor(createdAt / 1000),
    model,
    service_tier: 'default',
  };
  return JSON.stringify(head).slice(0, -1);
}
