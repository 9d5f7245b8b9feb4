// Neutral events → the stream of the Responses API, in OpenAI's order: created, in progress, for each item its start,
// its parts and its end, and finally the whole response. Every event has a sequence number.
//
// Whether a call is freeform is known only at its end, so a freeform call is written whole when it ends.

import type { NeutralStreamWriter, StreamTerms } from '../dialect.ts';
import { withPrefix } from '../ids.ts';
import type { AnswerPart, NeutralEvent, StartedPart } from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { itemId, type ResponseHead, writeContent, writeItem, writeResponse } from './answer.ts';
import { unwrapFreeform } from './freeform.ts';

type TextPart = Extract<AnswerPart, { kind: 'text' | 'refusal' }>;

export class ResponsesStreamWriter implements NeutralStreamWriter {
  readonly #terms: StreamTerms;
  readonly #output: JsonObject[] = [];
  #head: ResponseHead;
  #started: StartedPart | undefined;
  #number = 0;
  #hasSummary = false;

  constructor(terms: StreamTerms) {
    this.#terms = terms;
    this.#head = { id: '', model: terms.model, createdAt: 0 };
  }

  write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        this.#head = { id: event.id, model: this.#terms.model, createdAt: event.createdAt };
        return this.#response('created') + this.#response('in_progress');
      case 'part_start':
        return this.#begin(event.part);
      case 'delta':
        return this.#delta(event.text);
      case 'part_end':
        return this.#endPart(event.part);
      case 'end': {
        const response = writeResponse(this.#head, { ...event, output: this.#output });
        const name = response['status'] === 'incomplete' ? 'incomplete' : 'completed';
        return this.#event(`response.${name}`, { response });
      }
    }
  }

  #response(name: 'created' | 'in_progress'): string {
    return this.#event(`response.${name}`, { response: writeResponse(this.#head, undefined) });
  }

  get #index(): number {
    return this.#output.length;
  }

  get #itemId(): string {
    return itemId(this.#head.id, this.#started?.kind ?? 'text', this.#index);
  }

  #begin(part: StartedPart): string {
    this.#started = part;
    this.#hasSummary = false;
    const id = this.#itemId;
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return (
          this.#added({
            id,
            type: 'message',
            status: 'in_progress',
            role: 'assistant',
            content: [],
          }) + this.#content('added', { kind: part.kind, text: '' })
        );
      case 'reasoning':
        return this.#added({ id, type: 'reasoning', summary: [] });
      case 'tool_call':
        return '';
    }
  }

  #delta(text: string): string {
    switch (this.#started?.kind) {
      case 'refusal':
        return this.#inContent('response.refusal.delta', { delta: text });
      case 'reasoning':
        return (
          this.#beginSummary() +
          this.#inSummary('response.reasoning_summary_text.delta', { delta: text })
        );
      case 'tool_call':
        return '';
      case 'text':
      case undefined:
        return this.#inContent('response.output_text.delta', { delta: text, logprobs: [] });
    }
  }

  #endPart(part: AnswerPart): string {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return this.#endText(part) + this.#done(part);
      case 'reasoning':
        return this.#endSummary(part.text) + this.#done(part);
      case 'tool_call':
        return this.#call(part) + this.#done(part);
    }
  }

  #endText(part: TextPart): string {
    const { text } = part;
    const done =
      part.kind === 'text'
        ? this.#inContent('response.output_text.done', { text, logprobs: [] })
        : this.#inContent('response.refusal.done', { refusal: text });
    return done + this.#content('done', part);
  }

  #call(part: Extract<AnswerPart, { kind: 'tool_call' }>): string {
    const { name, arguments: text } = part;
    const call_id = withPrefix('call_', part.id);
    const call = { id: this.#itemId, status: 'in_progress', call_id, name };
    const input = unwrapFreeform(text);
    const [type, field, whole] =
      input === undefined
        ? (['function_call', 'arguments', text] as const)
        : (['custom_tool_call', 'input', input] as const);
    const event =
      input === undefined ? 'response.function_call_arguments' : 'response.custom_tool_call_input';
    return (
      this.#added({ ...call, type, [field]: '' }) +
      this.#inItem(`${event}.delta`, { delta: whole }) +
      this.#inItem(`${event}.done`, { [field]: whole })
    );
  }

  #beginSummary(): string {
    if (this.#hasSummary) return '';
    this.#hasSummary = true;
    return this.#inSummary('response.reasoning_summary_part.added', {
      part: { type: 'summary_text', text: '' },
    });
  }

  #endSummary(text: string): string {
    if (!this.#hasSummary) return '';
    return (
      this.#inSummary('response.reasoning_summary_text.done', { text }) +
      this.#inSummary('response.reasoning_summary_part.done', {
        part: { type: 'summary_text', text },
      })
    );
  }

  #added(item: JsonObject): string {
    return this.#event('response.output_item.added', { output_index: this.#index, item });
  }

  #done(part: AnswerPart): string {
    const item = writeItem(part, this.#itemId);
    const written = this.#event('response.output_item.done', { output_index: this.#index, item });
    this.#output.push(item);
    return written;
  }

  #content(what: 'added' | 'done', part: TextPart): string {
    return this.#inContent(`response.content_part.${what}`, { part: writeContent(part) });
  }

  #inContent(type: string, fields: JsonObject): string {
    return this.#inItem(type, { content_index: 0, ...fields });
  }

  #inSummary(type: string, fields: JsonObject): string {
    return this.#inItem(type, { summary_index: 0, ...fields });
  }

  #inItem(type: string, fields: JsonObject): string {
    return this.#event(type, { item_id: this.#itemId, output_index: this.#index, ...fields });
  }

  #event(type: string, fields: JsonObject): string {
    const data = { type, sequence_number: this.#number, ...fields };
    this.#number += 1;
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
