// The stream of the Responses API → neutral events. Items do not overlap in it. A message may have several content parts,
// each of which is a neutral part; the summary of a thought is one text.

import type { NeutralStreamReader } from '../dialect.ts';
import { Fields } from '../fields.ts';
import { type KeepText, keepWholeText } from '../kept-text.ts';
import type { AnswerPart, NeutralEvent, StartedPart } from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { readItem, readStop, readUsage } from './answer.ts';

export class ResponsesStreamReader implements NeutralStreamReader {
  readonly #parts: AnswerPart[] = [];
  #open: { readonly index: number; readonly started: StartedPart; text: string } | undefined;
  #count = 0;

  readonly #keepText: KeepText;

  constructor(keepText: KeepText = keepWholeText) {
    this.#keepText = keepText;
  }

  push(name: string, data: JsonObject): readonly NeutralEvent[] {
    const fields = new Fields(data);
    switch (fields.text('type') ?? name) {
      case 'response.created':
        return [this.#start(fields.needObject('response'))];
      case 'response.output_item.added':
        return this.#addItem(fields.needObject('item'));
      case 'response.content_part.added':
        return this.#begin({ kind: kindOf(fields.needObject('part')) });
      case 'response.output_text.delta':
      case 'response.refusal.delta':
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
      case 'response.function_call_arguments.delta':
        return this.#append(fields.text('delta') ?? '');
      case 'response.reasoning_summary_part.added':
        // A further paragraph of the same thought.
        return this.#open && this.#open.text !== '' ? this.#append('\n\n') : [];
      case 'response.content_part.done':
        return this.#endPart(undefined);
      case 'response.output_item.done':
        return this.#endItem(fields.needObject('item'));
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(fields.needObject('response'));
      default:
        return [];
    }
  }

  end(): readonly NeutralEvent[] {
    return [];
  }

  #start(response: Fields): NeutralEvent {
    const createdAt = (response.number('created_at') ?? 0) * 1000;
    return { kind: 'start', id: response.text('id') ?? '', createdAt, usage: undefined };
  }

  #addItem(item: Fields): readonly NeutralEvent[] {
    switch (item.text('type') ?? '') {
      case 'reasoning':
        return this.#begin({ kind: 'reasoning' });
      case 'function_call':
      case 'custom_tool_call':
        return this.#begin({
          kind: 'tool_call',
          id: item.needText('call_id'),
          name: item.needName('name'),
        });
      default:
        return [];
    }
  }

  #begin(started: StartedPart): readonly NeutralEvent[] {
    const index = this.#count;
    this.#count += 1;
    this.#open = { index, started, text: '' };
    return [{ kind: 'part_start', index, part: started }];
  }

  #append(text: string): readonly NeutralEvent[] {
    if (!this.#open || text === '') return [];
    const { started, text: kept } = this.#open;
    this.#open.text = this.#keepText(kept, text, started.kind);
    return [{ kind: 'delta', index: this.#open.index, text }];
  }

  /** `whole` adds the fields that deltas lack: the proof of a thought, the arguments of a freeform call. */
  #endPart(whole: AnswerPart | undefined): readonly NeutralEvent[] {
    const open = this.#open;
    if (!open) return [];
    this.#open = undefined;
    const part = whole ?? textPart(open.started, open.text);
    if (!part) return [];
    this.#parts.push(part);
    const rest = restOf(part, open.text);
    const delta: readonly NeutralEvent[] =
      rest === '' ? [] : [{ kind: 'delta', index: open.index, text: rest }];
    return [...delta, { kind: 'part_end', index: open.index, part }];
  }

  #endItem(item: Fields): readonly NeutralEvent[] {
    if (item.text('type') === 'message') return this.#endPart(undefined);
    const [part] = readItem(item);
    return this.#endPart(part);
  }

  #end(response: Fields): readonly NeutralEvent[] {
    const stop = readStop(response, this.#parts);
    return [{ kind: 'end', stop, usage: readUsage(response.object('usage')) }];
  }
}

function kindOf(part: Fields): 'text' | 'refusal' {
  return part.text('type') === 'refusal' ? 'refusal' : 'text';
}

function textPart(started: StartedPart, text: string): AnswerPart | undefined {
  return started.kind === 'text' || started.kind === 'refusal'
    ? { kind: started.kind, text }
    : undefined;
}

/** The arguments of a call that arrived whole, without deltas. */
function restOf(part: AnswerPart, sent: string): string {
  return part.kind === 'tool_call' && sent === '' ? part.arguments : '';
}
