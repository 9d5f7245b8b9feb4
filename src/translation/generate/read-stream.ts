// Gemini's stream → neutral events. Each event is a whole answer with a piece of its text; neighbouring texts, and
// neighbouring thoughts, are one part. A function call arrives whole.

import type { NeutralStreamReader } from '../dialect.ts';
import { Fields } from '../fields.ts';
import { type KeepText, keepWholeText } from '../kept-text.ts';
import {
  type AnswerPart,
  type NeutralEvent,
  type NeutralUsage,
  NO_TOKENS,
} from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import type { Proof } from '../signature.ts';
import { readParts, readStop, readUsage } from './answer.ts';
import { unsigned } from './thought-signatures.ts';

type OpenPart = {
  readonly index: number;
  readonly kind: 'text' | 'reasoning';
  text: string;
  proof: Proof | undefined;
};

export class GenerateStreamReader implements NeutralStreamReader {
  #hasStarted = false;
  #hasEnded = false;
  #reason: string | undefined;
  #usage: NeutralUsage = NO_TOKENS;
  #open: OpenPart | undefined;
  #parts = 0;
  readonly #calls: AnswerPart[] = [];

  readonly #keepText: KeepText;

  constructor(keepText: KeepText = keepWholeText) {
    this.#keepText = keepText;
  }

  push(_name: string, data: JsonObject): readonly NeutralEvent[] {
    const fields = new Fields(data);
    const usage = fields.object('usageMetadata');
    if (usage) this.#usage = readUsage(usage);
    const start = this.#start(fields);
    if (fields.object('promptFeedback')?.text('blockReason') !== undefined) this.#reason = 'SAFETY';
    const [candidate] = fields.objects('candidates');
    this.#reason = candidate?.text('finishReason') ?? this.#reason;
    const parts = readParts(candidate?.object('content'), this.#calls.length);
    return [...start, ...parts.flatMap((part) => this.#take(part))];
  }

  end(): readonly NeutralEvent[] {
    if (this.#hasEnded || !this.#hasStarted) return [];
    this.#hasEnded = true;
    const stop = readStop(this.#reason, this.#calls);
    return [...this.#endPart(), { kind: 'end', stop, usage: this.#usage }];
  }

  #start(fields: Fields): readonly NeutralEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    const id = fields.text('responseId') ?? '';
    return [{ kind: 'start', id, createdAt: 0, usage: this.#usage }];
  }

  #take(part: AnswerPart): readonly NeutralEvent[] {
    if (part.kind === 'tool_call') return this.#call(part);
    if (part.kind === 'refusal') return [];
    // A thought ends with its proof.
    const isSame = this.#open?.kind === part.kind && this.#open.proof === undefined;
    const begin = isSame ? [] : this.#begin(part.kind);
    const open = this.#open;
    if (!open) return begin;
    open.text = this.#keepText(open.text, part.text, open.kind);
    if (part.kind === 'reasoning' && part.signature)
      open.proof = { signature: part.signature, isRedacted: part.isRedacted };
    if (part.text === '') return begin;
    return [...begin, { kind: 'delta', index: open.index, text: part.text }];
  }

  #call(part: Extract<AnswerPart, { kind: 'tool_call' }>): readonly NeutralEvent[] {
    this.#calls.push(part);
    const ended = this.#endPart();
    const index = this.#parts;
    this.#parts += 1;
    const { id, name, arguments: text } = part;
    return [
      ...ended,
      { kind: 'part_start', index, part: { kind: 'tool_call', id, name } },
      { kind: 'delta', index, text },
      { kind: 'part_end', index, part },
    ];
  }

  #begin(kind: OpenPart['kind']): readonly NeutralEvent[] {
    const ended = this.#endPart();
    this.#open = { index: this.#parts, kind, text: '', proof: undefined };
    this.#parts += 1;
    return [...ended, { kind: 'part_start', index: this.#open.index, part: { kind } }];
  }

  #endPart(): readonly NeutralEvent[] {
    const open = this.#open;
    if (!open) return [];
    this.#open = undefined;
    const { index, kind, text, proof } = open;
    const part = kind === 'text' ? { kind, text } : { ...unsigned(text), ...proof };
    return [{ kind: 'part_end', index, part }];
  }
}
