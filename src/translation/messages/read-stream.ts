// Anthropic's stream → neutral events. Anthropic's content blocks have the order of the neutral grammar already. Token counts
// are cumulative: `message_delta` replaces the counts of `message_start`.

import { type NeutralStreamReader, TranslationProblem } from '../dialect.ts';
import { Fields } from '../fields.ts';
import { type KeepText, keepWholeText } from '../kept-text.ts';
import {
  type AnswerPart,
  type NeutralEvent,
  type NeutralUsage,
  NO_TOKENS,
  type StartedPart,
  type Stop,
} from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { unwrapSignature } from '../signature.ts';
import { readStop, readUsage } from './answer.ts';

type OpenPart = {
  readonly index: number;
  readonly started: StartedPart;
  text: string;
  signature: string;
  isRedacted: boolean;
};

export class MessagesStreamReader implements NeutralStreamReader {
  #usage: NeutralUsage = NO_TOKENS;
  #stop: Stop = { reason: 'end' };
  #open: OpenPart | undefined;
  #parts = 0;

  readonly #keepText: KeepText;

  constructor(keepText: KeepText = keepWholeText) {
    this.#keepText = keepText;
  }

  push(name: string, data: JsonObject): readonly NeutralEvent[] {
    const fields = new Fields(data);
    switch (fields.text('type') ?? name) {
      case 'message_start':
        return [this.#start(fields.needObject('message'))];
      case 'content_block_start':
        return this.#startBlock(fields.needObject('content_block'));
      case 'content_block_delta':
        return this.#delta(fields.needObject('delta'));
      case 'content_block_stop':
        return this.#endBlock();
      case 'message_delta':
        this.#messageDelta(fields);
        return [];
      case 'message_stop':
        return [{ kind: 'end', stop: this.#stop, usage: this.#usage }];
      default:
        return [];
    }
  }

  end(): readonly NeutralEvent[] {
    return [];
  }

  #start(message: Fields): NeutralEvent {
    this.#usage = readUsage(message.object('usage'));
    return { kind: 'start', id: message.text('id') ?? '', createdAt: 0, usage: this.#usage };
  }

  #startBlock(block: Fields): readonly NeutralEvent[] {
    const started = startedPart(block);
    if (!started) return [];
    const isRedacted = block.text('type') === 'redacted_thinking';
    const signature = isRedacted ? block.needText('data') : '';
    this.#open = { index: this.#parts, started, text: '', signature, isRedacted };
    this.#parts += 1;
    return [
      { kind: 'part_start', index: this.#open.index, part: started },
      ...this.#append(block.text('text') ?? block.text('thinking') ?? ''),
    ];
  }

  #delta(delta: Fields): readonly NeutralEvent[] {
    switch (delta.text('type') ?? '') {
      case 'text_delta':
        return this.#append(delta.text('text') ?? '');
      case 'thinking_delta':
        return this.#append(delta.text('thinking') ?? '');
      case 'input_json_delta':
        return this.#append(delta.text('partial_json') ?? '');
      case 'signature_delta':
        if (this.#open) this.#open.signature += delta.text('signature') ?? '';
        return [];
      default:
        return [];
    }
  }

  #append(text: string): readonly NeutralEvent[] {
    if (!this.#open || text === '') return [];
    const { started, text: kept } = this.#open;
    this.#open.text = this.#keepText(kept, text, started.kind);
    return [{ kind: 'delta', index: this.#open.index, text }];
  }

  #endBlock(): readonly NeutralEvent[] {
    const open = this.#open;
    if (!open) return [];
    this.#open = undefined;
    return [{ kind: 'part_end', index: open.index, part: endedPart(open) }];
  }

  #messageDelta(fields: Fields): void {
    const delta = fields.object('delta');
    this.#stop = readStop(delta?.text('stop_reason'), delta?.text('stop_sequence'));
    const usage = fields.object('usage');
    if (!usage) return;
    const latest = readUsage(usage);
    const { input, cacheRead, cacheWrite } = this.#usage;
    this.#usage = {
      input: Math.max(latest.input, input),
      cacheRead: Math.max(latest.cacheRead, cacheRead),
      cacheWrite: Math.max(latest.cacheWrite, cacheWrite),
      output: latest.output,
      reasoning: latest.reasoning,
    };
  }
}

function startedPart(block: Fields): StartedPart | undefined {
  switch (block.text('type') ?? '') {
    case 'text':
      return { kind: 'text' };
    case 'thinking':
    case 'redacted_thinking':
      return { kind: 'reasoning' };
    case 'tool_use':
      return { kind: 'tool_call', id: block.needText('id'), name: block.needName('name') };
    default:
      return undefined;
  }
}

function endedPart({ started, text, signature, isRedacted }: OpenPart): AnswerPart {
  switch (started.kind) {
    case 'tool_call':
      return { ...started, arguments: text === '' ? '{}' : text };
    case 'reasoning':
      return {
        kind: 'reasoning',
        text,
        signature: signature === '' ? undefined : unwrapSignature(signature, 'messages'),
        isRedacted,
      };
    case 'text':
    case 'refusal':
      return { kind: started.kind, text };
    default:
      throw new TranslationProblem('content_block', 'has an unknown type');
  }
}
