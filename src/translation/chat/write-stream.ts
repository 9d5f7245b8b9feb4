// Neutral events → OpenAI's stream of chunks: the role first, then pieces, then the reason of the end, then, if the caller
// asked for it, the usage, then `[DONE]`.

import type { NeutralStreamWriter, StreamTerms } from '../dialect.ts';
import { withPrefix } from '../ids.ts';
import type { NeutralEvent, StartedPart } from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { wrapSignature } from '../signature.ts';
import { finishReason, writeUsage } from './answer.ts';

export class ChatStreamWriter implements NeutralStreamWriter {
  readonly #terms: StreamTerms;
  #id = '';
  #created = 0;
  #started: StartedPart | undefined;
  #calls = -1;

  constructor(terms: StreamTerms) {
    this.#terms = terms;
  }

  write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        this.#id = withPrefix('chatcmpl-', event.id);
        this.#created = Math.floor(event.createdAt / 1000);
        return this.#chunk({ role: 'assistant', content: '', refusal: null });
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

  #begin(part: StartedPart): string {
    this.#started = part;
    if (part.kind !== 'tool_call') return '';
    this.#calls += 1;
    const { name } = part;
    const id = withPrefix('call_', part.id);
    const call = { index: this.#calls, id, type: 'function', function: { name, arguments: '' } };
    return this.#chunk({ tool_calls: [call] });
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
    const last = this.#chunk({}, finishReason(stop));
    const counted = this.#terms.includesUsage
      ? sse({ ...this.#head(), choices: [], usage: writeUsage(usage) })
      : '';
    return `${last}${counted}data: [DONE]\n\n`;
  }

  #chunk(delta: JsonObject, reason: string | null = null): string {
    const choice = { index: 0, delta, logprobs: null, finish_reason: reason };
    const usage = this.#terms.includesUsage ? { usage: null } : {};
    return sse({ ...this.#head(), choices: [choice], ...usage });
  }

  #head(): JsonObject {
    const { model } = this.#terms;
    return { id: this.#id, object: 'chat.completion.chunk', created: this.#created, model };
  }
}

function sse(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
