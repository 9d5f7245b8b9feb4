// Serializes an answer for OpenAI's Chat Completions: a completion, or chunks up to [DONE]. OpenAI hides the
// model's thinking; `reasoning_content` is a convention of compatible providers, and OpenAI's SDK ignores it.

import type { Answer, StopReason, ToolCall } from '../../answers.ts';
import type { ModelRequest } from '../../model-request.ts';
import type { Piece } from '../../scenario/chunks.ts';
import type { StreamEvent, WireFormat } from '../wire-format.ts';

const FINISH_REASONS = {
  end: 'stop',
  max_tokens: 'length',
  stop_sequence: 'stop',
  tool: 'tool_calls',
  refusal: 'content_filter',
} as const satisfies Record<StopReason, string>;

export const openaiChatFormat: WireFormat = {
  unary: (answer) => ({
    ...envelope(answer, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: messageOf(answer),
        logprobs: null,
        finish_reason: FINISH_REASONS[answer.stopReason],
      },
    ],
    usage: usageOf(answer),
  }),
  events,
};

function* events(
  answer: Answer,
  pieces: Iterable<Piece>,
  request: ModelRequest,
): Generator<StreamEvent, void> {
  const head = JSON.stringify(envelope(answer, 'chat.completion.chunk')).slice(0, -1);
  const tail = request.wantsStreamUsage ? ',"usage":null}' : '}';
  const opening = { role: 'assistant', content: answer.text === '' ? null : '', refusal: null };
  yield chunk(head, tail, JSON.stringify(opening), 'null', 0);
  let call: ToolCall | undefined;
  let callIndex = -1;
  for (const piece of pieces) {
    if (piece.kind === 'tool' && piece.call !== call) {
      call = piece.call;
      callIndex += 1;
      yield chunk(
        head,
        tail,
        JSON.stringify({ tool_calls: [openCall(call, callIndex)] }),
        'null',
        0,
      );
    }
    yield chunk(head, tail, deltaOf(piece, callIndex), 'null', piece.bytes);
  }
  const finish = `"${FINISH_REASONS[answer.stopReason]}"`;
  yield { ...chunk(head, tail, '{}', finish, 0), isClosing: true };
  if (request.wantsStreamUsage)
    yield closing(`${head},"choices":[],"usage":${JSON.stringify(usageOf(answer))}}`);
  yield closing('[DONE]');
}

function closing(data: string): StreamEvent {
  return { data, contentBytes: 0, isClosing: true };
}

/** Chunks are most of a stream, so their JSON is concatenated by hand. */
function chunk(
  head: string,
  tail: string,
  delta: string,
  finish: string,
  contentBytes: number,
): StreamEvent {
  const choice = `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}`;
  return { data: `${head},"choices":[${choice}]${tail}`, contentBytes };
}

function deltaOf(piece: Piece, callIndex: number): string {
  const text = JSON.stringify(piece.delta);
  if (piece.kind === 'text') return `{"content":${text}}`;
  if (piece.kind === 'thinking') return `{"reasoning_content":${text}}`;
  return `{"tool_calls":[{"index":${callIndex},"function":{"arguments":${text}}}]}`;
}

function openCall(call: ToolCall, index: number): unknown {
  const { id, name } = call;
  return { index, id: `call_${id}`, type: 'function', function: { name, arguments: '' } };
}

function envelope(answer: Answer, object: string) {
  return {
    id: `chatcmpl-${answer.id}`,
    object,
    created: Math.floor(answer.createdAt / 1000),
    model: answer.model,
    service_tier: answer.usage.serviceTier ?? 'default',
    system_fingerprint: 'fp_simulator',
  };
}

function messageOf(answer: Answer): unknown {
  const calls = answer.toolCalls.map((call) => ({
    id: `call_${call.id}`,
    type: 'function',
    function: { name: call.name, arguments: call.inputJson },
  }));
  return {
    role: 'assistant',
    content: calls.length > 0 && answer.text === '' ? null : answer.text,
    refusal: null,
    annotations: [],
    ...(answer.thinking === '' ? {} : { reasoning_content: answer.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function usageOf(answer: Answer): unknown {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = answer.usage;
  const { audioInputTokens, audioOutputTokens, thinkingTokens } = answer.usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      audio_tokens: audioInputTokens,
    },
    completion_tokens_details: {
      reasoning_tokens: thinkingTokens,
      audio_tokens: audioOutputTokens,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
