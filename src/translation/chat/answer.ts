// OpenAI's Chat Completions answer ↔ the neutral form, whole. Only the first choice has a neutral form: requests for more
// are refused by every other format. Thoughts travel in `reasoning_content`, as compatible providers send them.

import { defined, Fields, lookUp } from '../fields.ts';
import { withPrefix } from '../ids.ts';
import type {
  AnswerPart,
  NeutralAnswer,
  NeutralUsage,
  Stop,
  StopReason,
} from '../neutral-answer.ts';
import type { JsonObject, ReasoningPart } from '../neutral-request.ts';
import { unwrapProof, wrapSignature } from '../signature.ts';

export function readChatAnswer(body: JsonObject): NeutralAnswer {
  const fields = new Fields(body);
  const [choice] = fields.objects('choices');
  const parts = readMessage(choice?.object('message'));
  return {
    id: fields.text('id') ?? '',
    model: fields.text('model') ?? '',
    createdAt: (fields.number('created') ?? 0) * 1000,
    parts,
    stop: readStop(choice?.text('finish_reason'), parts.some(isRefusal)),
    usage: readUsage(fields.object('usage')),
  };
}

function readMessage(message: Fields | undefined): readonly AnswerPart[] {
  if (!message) return [];
  const thoughts = message.text('reasoning_content') ?? message.text('reasoning') ?? '';
  const signature = message.text('reasoning_signature');
  const text = message.text('content') ?? '';
  const refusal = message.text('refusal') ?? '';
  return [
    ...(thoughts === '' && signature === undefined ? [] : [reasoningPart(thoughts, signature)]),
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...(refusal === '' ? [] : [{ kind: 'refusal' as const, text: refusal }]),
    ...message.objects('tool_calls').map(readToolCall),
  ];
}

export function reasoningPart(text: string, signature: string | undefined): ReasoningPart {
  return {
    kind: 'reasoning',
    text,
    ...(signature === undefined
      ? { signature: undefined, isRedacted: false }
      : unwrapProof(signature, 'chat')),
  };
}

function readToolCall(call: Fields): AnswerPart {
  const called = call.needObject('function');
  return {
    kind: 'tool_call',
    id: call.needText('id'),
    name: called.needName('name'),
    arguments: called.text('arguments') ?? '{}',
  };
}

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: 'end',
  length: 'max_tokens',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'filtered',
};

/** An answer that refuses in the model's own words ends regularly in this format. */
export function readStop(reason: string | undefined, isRefused: boolean): Stop {
  const known = lookUp(STOPS, reason ?? '') ?? 'end';
  return { reason: known === 'end' && isRefused ? 'refusal' : known };
}

function isRefusal({ kind }: AnswerPart): boolean {
  return kind === 'refusal';
}

export function readUsage(usage: Fields | undefined): NeutralUsage {
  const prompt = usage?.object('prompt_tokens_details');
  const completion = usage?.object('completion_tokens_details');
  const cacheRead = prompt?.number('cached_tokens') ?? 0;
  const cacheWrite = prompt?.number('cache_write_tokens') ?? 0;
  return {
    input: Math.max(0, (usage?.number('prompt_tokens') ?? 0) - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: usage?.number('completion_tokens') ?? 0,
    reasoning: completion?.number('reasoning_tokens') ?? 0,
  };
}

export function writeChatAnswer(answer: NeutralAnswer): JsonObject {
  return {
    id: withPrefix('chatcmpl-', answer.id),
    object: 'chat.completion',
    created: Math.floor(answer.createdAt / 1000),
    model: answer.model,
    choices: [
      {
        index: 0,
        message: writeMessage(answer.parts),
        logprobs: null,
        finish_reason: finishReason(answer.stop, answer.parts.some(isRefusal)),
      },
    ],
    usage: writeUsage(answer.usage),
    service_tier: 'default',
  };
}

function writeMessage(parts: readonly AnswerPart[]): JsonObject {
  const joined = (kind: 'text' | 'refusal' | 'reasoning') =>
    parts.flatMap((part) => (part.kind === kind ? [part.text] : [])).join('');
  const calls = parts.flatMap((part) =>
    part.kind === 'tool_call'
      ? [
          {
            id: withPrefix('call_', part.id),
            type: 'function',
            function: { name: part.name, arguments: part.arguments },
          },
        ]
      : [],
  );
  const thoughts = joined('reasoning');
  const last = parts.findLast((part) => part.kind === 'reasoning');
  return defined({
    role: 'assistant',
    content: joined('text') || null,
    refusal: joined('refusal') || null,
    annotations: [],
    reasoning_content: thoughts === '' ? undefined : thoughts,
    reasoning_signature: last?.signature && wrapSignature(last.signature, 'chat', last.isRedacted),
    tool_calls: calls.length === 0 ? undefined : calls,
  });
}

const REASONS: Readonly<Record<StopReason, string>> = {
  end: 'stop',
  max_tokens: 'length',
  stop_sequence: 'stop',
  tool_calls: 'tool_calls',
  refusal: 'content_filter',
  filtered: 'content_filter',
  context_window: 'length',
  paused: 'stop',
};

export function finishReason({ reason }: Stop, isRefused: boolean): string {
  return reason === 'refusal' && isRefused ? 'stop' : REASONS[reason];
}

export function writeUsage(usage: NeutralUsage): JsonObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
