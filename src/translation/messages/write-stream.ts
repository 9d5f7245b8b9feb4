// Neutral events → Anthropic's stream, event for event as Anthropic sends them. A redacted thought has no deltas and its
// block begins with its data, which is known at its end only, so its start waits for the end.

import type { NeutralStreamWriter, StreamTerms } from '../dialect.ts';
import { withPrefix } from '../ids.ts';
import { type NeutralEvent, NO_TOKENS, type StartedPart } from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { wrapSignature } from '../signature.ts';
import { DIRECT, writeStop, writeUsage } from './answer.ts';

export class MessagesStreamWriter implements NeutralStreamWriter {
  readonly #terms: StreamTerms;
  #started: StartedPart | undefined;
  #hasBegun = false;

  constructor(terms: StreamTerms) {
    this.#terms = terms;
  }

  write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        return this.#start(event) + sse('ping', {});
      case 'part_start':
        this.#started = event.part;
        this.#hasBegun = false;
        return event.part.kind === 'reasoning' ? '' : this.#begin(event.index, blockOf(event.part));
      case 'delta':
        return this.#delta(event.index, event.text);
      case 'part_end':
        return this.#end(event);
      case 'end':
        return (
          sse('message_delta', { delta: writeStop(event.stop), usage: writeUsage(event.usage) }) +
          sse('message_stop', {})
        );
    }
  }

  #start({ id, usage }: Extract<NeutralEvent, { kind: 'start' }>): string {
    const message = {
      id: withPrefix('msg_', id),
      type: 'message',
      role: 'assistant',
      model: this.#terms.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: writeUsage(usage ?? NO_TOKENS),
    };
    return sse('message_start', { message });
  }

  #begin(index: number, block: JsonObject): string {
    this.#hasBegun = true;
    return sse('content_block_start', { index, content_block: block });
  }

  #delta(index: number, text: string): string {
    const kind = this.#started?.kind;
    if (kind === 'tool_call')
      return deltaOf(index, { type: 'input_json_delta', partial_json: text });
    if (kind !== 'reasoning') return deltaOf(index, { type: 'text_delta', text });
    const begin = this.#hasBegun ? '' : this.#begin(index, EMPTY_THINKING);
    return begin + deltaOf(index, { type: 'thinking_delta', thinking: text });
  }

  #end({ index, part }: Extract<NeutralEvent, { kind: 'part_end' }>): string {
    if (part.kind !== 'reasoning') return stop(index);
    const signature = part.signature ? wrapSignature(part.signature, 'messages') : '';
    if (part.isRedacted)
      return this.#begin(index, { type: 'redacted_thinking', data: signature }) + stop(index);
    const begin = this.#hasBegun ? '' : this.#begin(index, EMPTY_THINKING);
    return begin + deltaOf(index, { type: 'signature_delta', signature }) + stop(index);
  }
}

const EMPTY_THINKING = { type: 'thinking', thinking: '', signature: '' };

function blockOf(part: StartedPart): JsonObject {
  if (part.kind !== 'tool_call') return { type: 'text', text: '' };
  const id = withPrefix('toolu_', part.id);
  return { type: 'tool_use', id, name: part.name, input: {}, caller: DIRECT };
}

function deltaOf(index: number, delta: JsonObject): string {
  return sse('content_block_delta', { index, delta });
}

function stop(index: number): string {
  return sse('content_block_stop', { index });
}

function sse(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
