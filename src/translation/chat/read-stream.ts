// OpenAI's stream of chunks → neutral events. A chunk names no beginnings and ends of parts, so a part ends when one of
// another kind, or another tool call, begins. Tool calls are numbered; providers send them one after the other. The usage
// comes in a last chunk without choices, so `end` waits for the end of the stream.

import { type NeutralStreamReader, TranslationProblem } from '../dialect.ts';
import { Fields } from '../fields.ts';
import {
  type AnswerPart,
  type NeutralEvent,
  type NeutralUsage,
  NO_TOKENS,
  type StartedPart,
  type Stop,
} from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { readStop, readUsage, reasoningPart } from './answer.ts';

type OpenPart = {
  readonly index: number;
  readonly started: StartedPart;
  /** The number of a tool call. */
  readonly call: number | undefined;
  text: string;
  signature: string | undefined;
};

export class ChatStreamReader implements NeutralStreamReader {
  #hasStarted = false;
  #hasEnded = false;
  #stop: Stop = { reason: 'end' };
  #usage: NeutralUsage = NO_TOKENS;
  #open: OpenPart | undefined;
  #parts = 0;
  #calls = -1;

  push(_name: string, data: JsonObject): readonly NeutralEvent[] {
    const fields = new Fields(data);
    const usage = fields.object('usage');
    if (usage) this.#usage = readUsage(usage);
    const start = this.#start(fields);
    const [choice] = fields.objects('choices');
    if (!choice) return start;
    const delta = choice.object('delta');
    const reason = choice.text('finish_reason');
    if (reason !== undefined) this.#stop = readStop(reason);
    return [...start, ...(delta ? this.#delta(delta) : [])];
  }

  end(): readonly NeutralEvent[] {
    if (this.#hasEnded || !this.#hasStarted) return [];
    this.#hasEnded = true;
    return [...this.#endPart(), { kind: 'end', stop: this.#stop, usage: this.#usage }];
  }

  #start(fields: Fields): readonly NeutralEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    const createdAt = (fields.number('created') ?? 0) * 1000;
    return [{ kind: 'start', id: fields.text('id') ?? '', createdAt, usage: undefined }];
  }

  #delta(delta: Fields): readonly NeutralEvent[] {
    const thoughts = delta.text('reasoning_content') ?? delta.text('reasoning') ?? '';
    const events = [
      ...this.#append('reasoning', thoughts),
      ...this.#append('text', delta.text('content') ?? ''),
      ...this.#append('refusal', delta.text('refusal') ?? ''),
      ...delta.objects('tool_calls').flatMap((call) => this.#call(call)),
    ];
    const signature = delta.text('reasoning_signature');
    if (signature !== undefined && this.#open?.started.kind === 'reasoning')
      this.#open.signature = signature;
    return events;
  }

  #append(kind: 'text' | 'refusal' | 'reasoning', text: string): readonly NeutralEvent[] {
    if (text === '') return [];
    const begin = this.#open?.started.kind === kind ? [] : this.#begin({ kind }, undefined);
    return [...begin, this.#add(text)];
  }

  #call(call: Fields): readonly NeutralEvent[] {
    const number = call.number('index') ?? this.#calls + 1;
    const called = call.object('function');
    const begin = number === this.#open?.call ? [] : this.#beginCall(number, call, called);
    const text = called?.text('arguments') ?? '';
    return text === '' ? begin : [...begin, this.#add(text)];
  }

  #beginCall(number: number, call: Fields, called: Fields | undefined): readonly NeutralEvent[] {
    if (number <= this.#calls)
      throw new TranslationProblem(call.path('index'), 'returns to an earlier tool call');
    this.#calls = number;
    const id = call.text('id') ?? `call_${number}`;
    const name = called?.needText('name') ?? '';
    return this.#begin({ kind: 'tool_call', id, name }, number);
  }

  #begin(started: StartedPart, call: number | undefined): readonly NeutralEvent[] {
    const ended = this.#endPart();
    const index = this.#parts;
    this.#parts += 1;
    this.#open = { index, started, call, text: '', signature: undefined };
    return [...ended, { kind: 'part_start', index, part: started }];
  }

  #add(text: string): NeutralEvent {
    if (!this.#open) throw new TranslationProblem('choices', 'has content before its part');
    this.#open.text += text;
    return { kind: 'delta', index: this.#open.index, text };
  }

  #endPart(): readonly NeutralEvent[] {
    const open = this.#open;
    if (!open) return [];
    this.#open = undefined;
    return [{ kind: 'part_end', index: open.index, part: endedPart(open) }];
  }
}

function endedPart({ started, text, signature }: OpenPart): AnswerPart {
  if (started.kind === 'tool_call') return { ...started, arguments: text === '' ? '{}' : text };
  if (started.kind === 'reasoning') return reasoningPart(text, signature);
  return { kind: started.kind, text };
}
