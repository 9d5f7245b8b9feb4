// Anthropic's Messages answer ↔ the neutral form, whole.

import { argumentsObject } from '../call-arguments.ts';
import { Fields, lookUp } from '../fields.ts';
import { withPrefix } from '../ids.ts';
import type {
  AnswerPart,
  NeutralAnswer,
  NeutralUsage,
  Stop,
  StopReason,
} from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { unwrapSignature, wrapSignature } from '../signature.ts';

export function readMessagesAnswer(body: JsonObject): NeutralAnswer {
  const fields = new Fields(body);
  return {
    id: fields.text('id') ?? '',
    model: fields.text('model') ?? '',
    createdAt: 0,
    parts: fields.objects('content').flatMap(readBlock),
    stop: readStop(fields.text('stop_reason'), fields.text('stop_sequence')),
    usage: readUsage(fields.object('usage')),
  };
}

/** Blocks of tools that Anthropic runs have no counterpart; such tools were refused with the request. */
function readBlock(block: Fields): readonly AnswerPart[] {
  switch (block.text('type') ?? '') {
    case 'text':
      return [{ kind: 'text', text: block.text('text') ?? '' }];
    case 'tool_use':
      return [
        {
          kind: 'tool_call',
          id: block.needText('id'),
          name: block.needName('name'),
          arguments: JSON.stringify(block.json('input') ?? {}),
        },
      ];
    case 'thinking':
      return [readThinking(block)];
    case 'redacted_thinking':
      return [
        {
          kind: 'reasoning',
          text: '',
          signature: unwrapSignature(block.needText('data'), 'messages'),
          isRedacted: true,
        },
      ];
    default:
      return [];
  }
}

function readThinking(block: Fields): AnswerPart {
  const signature = block.text('signature') ?? '';
  return {
    kind: 'reasoning',
    text: block.text('thinking') ?? '',
    signature: signature === '' ? undefined : unwrapSignature(signature, 'messages'),
    isRedacted: false,
  };
}

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_calls',
  refusal: 'refusal',
  pause_turn: 'paused',
  model_context_window_exceeded: 'context_window',
};

export function readStop(reason: string | undefined, sequence: string | undefined): Stop {
  return { reason: lookUp(STOPS, reason ?? '') ?? 'end', sequence };
}

export function readUsage(usage: Fields | undefined): NeutralUsage {
  return {
    input: usage?.number('input_tokens') ?? 0,
    cacheRead: usage?.number('cache_read_input_tokens') ?? 0,
    cacheWrite: usage?.number('cache_creation_input_tokens') ?? 0,
    output: usage?.number('output_tokens') ?? 0,
    reasoning: usage?.object('output_tokens_details')?.number('thinking_tokens') ?? 0,
  };
}

export function writeMessagesAnswer(answer: NeutralAnswer): JsonObject {
  return {
    id: withPrefix('msg_', answer.id),
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: answer.parts.flatMap(writeBlock),
    ...writeStop(answer.stop),
    usage: writeUsage(answer.usage),
  };
}

/** The model itself called the tool, not a program that it wrote. */
export const DIRECT = Object.freeze({ type: 'direct' });

function writeBlock(part: AnswerPart): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'tool_call':
      return [
        {
          type: 'tool_use',
          id: withPrefix('toolu_', part.id),
          name: part.name,
          input: argumentsObject(part.arguments),
          caller: DIRECT,
        },
      ];
    case 'reasoning': {
      const signature = part.signature ? wrapSignature(part.signature, 'messages') : '';
      if (part.isRedacted) return [{ type: 'redacted_thinking', data: signature }];
      return [{ type: 'thinking', thinking: part.text, signature }];
    }
  }
}

const REASONS: Readonly<Record<StopReason, string>> = {
  end: 'end_turn',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_calls: 'tool_use',
  refusal: 'refusal',
  filtered: 'refusal',
  context_window: 'model_context_window_exceeded',
  paused: 'pause_turn',
};

export function writeStop({ reason, sequence }: Stop): JsonObject {
  return {
    stop_reason: REASONS[reason],
    stop_sequence: sequence ?? null,
    stop_details: null,
    container: null,
  };
}

/** Other vendors state no duration of a written cache: it counts as Anthropic's default of five minutes. */
export function writeUsage(usage: NeutralUsage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite,
      ephemeral_1h_input_tokens: 0,
    },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    service_tier: 'standard',
  };
}
