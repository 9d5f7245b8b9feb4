// OpenAI's stream of chunks → neutral events. Chunks do not mark where a part begins or ends, so a part ends when a
// part of another kind begins. Tool calls are numbered and their pieces may interleave: the first call is passed on
// piece by piece, later calls are buffered and follow whole at the end. The usage comes in a last chunk without
// choices, so `end` waits for the end of the stream.

import { type NeutralStreamReader, TranslationProblem } from '../dialect.ts';
import { Fields } from '../fields.ts';
import { type KeepText, keepWholeText } from '../kept-text.ts';
import {
  type AnswerPart,
  type NeutralEvent,
  type NeutralUsage,
  NO_TOKENS,
  type StartedPart,
} from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { readStop, readUsage, reasoningPart } from './answer.ts';

type OpenPart = {
  readonly index: number;
  readonly started: StartedPart;
  text: string;
  signature: string | undefined;
};

type ToolCall = { readonly id: string; readonly name: string; text: string };

export class ChatStreamReader implements NeutralStreamReader {
  #hasStarted = false;
  #hasEnded = false;
  #reason: string | undefined;
  #isRefused = false;
  #usage: NeutralUsage = NO_TOKENS;
  #open: OpenPart | undefined;
  #parts = 0;
  /** In the order of their first pieces. The first one is also the open part. */
  readonly #calls = new Map<number, ToolCall>();

  readonly #keepText: KeepText;

  constructor(keepText: KeepText = keepWholeText) {
    this.#keepText = keepText;
  }

  push(_name: string, data: JsonObject): readonly NeutralEvent[] {
    const fields = new Fields(data);
    const usage = fields.object('usage');
    if (usage) this.#usage = readUsage(usage);
    const start = this.#start(fields);
    const choice = fields.objects('choices').find((each) => (each.number('index') ?? 0) === 0);
    if (!choice) return start;
    const delta = choice.object('delta');
    this.#reason = choice.text('finish_reason') ?? this.#reason;
    return [...start, ...(delta ? this.#delta(delta) : [])];
  }

  end(): readonly NeutralEvent[] {
    if (this.#hasEnded || !this.#hasStarted) return [];
    this.#hasEnded = true;
    const stop = readStop(this.#reason, this.#isRefused);
    return [...this.#endPart(), ...this.#laterCalls(), { kind: 'end', stop, usage: this.#usage }];
  }

  #start(fields: Fields): readonly NeutralEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    const createdAt = (fields.number('created') ?? 0) * 1000;
    return [{ kind: 'start', id: fields.text('id') ?? '', createdAt, usage: undefined }];
  }

  #delta(delta: Fields): readonly NeutralEvent[] {
    const thoughts = delta.text('reasoning_content') ?? delta.text('reasoning') ?? '';
    return [
      ...this.#append('reasoning', thoughts),
      ...this.#sign(delta.text('reasoning_signature')),
      ...this.#append('text', delta.text('content') ?? ''),
      ...this.#append('refusal', delta.text('refusal') ?? ''),
      ...delta.objects('tool_calls').flatMap((call) => this.#call(call)),
    ];
  }

  /** A thought that is encrypted as a whole has only a proof. */
  #sign(signature: string | undefined): readonly NeutralEvent[] {
    if (signature === undefined) return [];
    const begin =
      this.#open?.started.kind === 'reasoning' ? [] : this.#begin({ kind: 'reasoning' });
    if (this.#open) this.#open.signature = signature;
    return begin;
  }

  #append(kind: 'text' | 'refusal' | 'reasoning', text: string): readonly NeutralEvent[] {
    if (text === '') return [];
    if (kind === 'refusal') this.#isRefused = true;
    const begin = this.#open?.started.kind === kind ? [] : this.#begin({ kind });
    return [...begin, ...this.#add(text)];
  }

  #call(call: Fields): readonly NeutralEvent[] {
    const number = call.number('index') ?? this.#calls.size;
    const called = call.object('function');
    const known = this.#calls.get(number);
    const current = known ?? newCall(number, call, called);
    this.#calls.set(number, current);
    const text = called?.text('arguments') ?? '';
    current.text += text;
    const [first] = this.#calls.values();
    if (current !== first) return [];
    if (known && this.#open?.started.kind !== 'tool_call')
      throw new TranslationProblem(call.path('index'), 'continues a tool call that has ended');
    const { id, name } = current;
    const begin = known ? [] : this.#begin({ kind: 'tool_call', id, name });
    return [...begin, ...this.#add(text)];
  }

  #laterCalls(): readonly NeutralEvent[] {
    const [, ...later] = this.#calls.values();
    return later.flatMap(({ id, name, text }) => [
      ...this.#begin({ kind: 'tool_call', id, name }),
      ...this.#add(text),
      ...this.#endPart(),
    ]);
  }

  #begin(started: StartedPart): readonly NeutralEvent[] {
    const ended = this.#endPart();
    const index = this.#parts;
    this.#parts += 1;
    this.#open = { index, started, text: '', signature: undefined };
    return [...ended, { kind: 'part_start', index, part: started }];
  }

  #add(text: string): readonly NeutralEvent[] {
    if (!this.#open || text === '') return [];
    const { started, text: kept } = this.#open;
    this.#open.text = this.#keepText(kept, text, started.kind);
    return [{ kind: 'delta', index: this.#open.index, text }];
  }

  #endPart(): readonly NeutralEvent[] {
    const open = this.#open;
    if (!open) return [];
    this.#open = undefined;
    return [{ kind: 'part_end', index: open.index, part: endedPart(open) }];
  }
}

function newCall(number: number, call: Fields, called: Fields | undefined): ToolCall {
  const name = (called ?? call.needObject('function')).needName('name');
  return { id: call.text('id') ?? `call_${number}`, name, text: '' };
}

function endedPart({ started, text, signature }: OpenPart): AnswerPart {
  if (started.kind === 'tool_call') return { ...started, arguments: text === '' ? '{}' : text };
  if (started.kind === 'reasoning') return reasoningPart(text, signature);
  return { kind: started.kind, text };
}
