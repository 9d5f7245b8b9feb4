// Serializes an answer for Anthropic: a message, or the events from message_start to message_stop.

import type { Answer, StopReason, ToolCall } from '../../answers.ts';
import type { Piece } from '../../scenario/chunks.ts';
import type { StreamEvent, WireFormat } from '../wire-format.ts';
import { closingEvent, plainEvent } from '../wire-format.ts';

const STOP_REASONS = {
  end: 'end_turn',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool: 'tool_use',
  refusal: 'refusal',
} as const satisfies Record<StopReason, string>;

export const anthropicFormat: WireFormat = {
  unary: (answer) => ({
    ...envelope(answer),
    content: contentOf(answer),
    stop_reason: STOP_REASONS[answer.stopReason],
    stop_sequence: stopSequenceOf(answer),
    usage: usageOf(answer, answer.usage.outputTokens),
  }),
  events,
};

function* events(answer: Answer, pieces: Iterable<Piece>): Generator<StreamEvent, void> {
  yield named({ type: 'message_start', message: openMessage(answer) });
  let block: OpenBlock | undefined;
  for (const piece of pieces) {
    if (block?.key !== keyOf(piece)) {
      if (block) yield* closeBlock(block, answer);
      block = nextBlock(block, piece);
      yield* openBlock(block, piece);
    }
    yield delta(block?.index ?? 0, piece);
  }
  if (block) yield* closeBlock(block, answer);
  yield closingEvent(messageDelta(answer), 'message_delta');
  yield closingEvent({ type: 'message_stop' }, 'message_stop');
}

type OpenBlock = { readonly key: unknown; readonly index: number; readonly kind: Piece['kind'] };

/** Pieces of one block are consecutive; a tool call is its own block. */
function keyOf(piece: Piece): unknown {
  return piece.kind === 'tool' ? piece.call : piece.kind;
}

function nextBlock(block: OpenBlock | undefined, piece: Piece): OpenBlock {
  return { key: keyOf(piece), index: (block?.index ?? -1) + 1, kind: piece.kind };
}

function* openBlock({ index }: OpenBlock, piece: Piece): Generator<StreamEvent, void> {
  yield named({ type: 'content_block_start', index, content_block: emptyBlock(piece) });
  if (index === 0) yield named({ type: 'ping' });
}

function* closeBlock(block: OpenBlock, answer: Answer): Generator<StreamEvent, void> {
  const { index } = block;
  if (block.kind === 'thinking') {
    const signed = { type: 'signature_delta', signature: signatureOf(answer) };
    yield named({ type: 'content_block_delta', index, delta: signed });
  }
  yield named({ type: 'content_block_stop', index });
}

/** Content deltas are most of a stream, so their JSON is concatenated by hand. */
function delta(index: number, piece: Piece): StreamEvent {
  const kind = DELTA_KINDS[piece.kind];
  const text = JSON.stringify(piece.delta);
  return {
    name: 'content_block_delta',
    data: `{"type":"content_block_delta","index":${index},"delta":{"type":"${kind.type}","${kind.field}":${text}}}`,
    contentBytes: piece.bytes,
  };
}

const DELTA_KINDS = {
  text: { type: 'text_delta', field: 'text' },
  thinking: { type: 'thinking_delta', field: 'thinking' },
  tool: { type: 'input_json_delta', field: 'partial_json' },
} as const satisfies Record<Piece['kind'], { type: string; field: string }>;

function emptyBlock(piece: Piece): unknown {
  if (piece.kind === 'tool') return toolUse(piece.call, {});
  if (piece.kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'text', text: '' };
}

function named(data: { readonly type: string; readonly [field: string]: unknown }): StreamEvent {
  return plainEvent(data, data.type);
}

function openMessage(answer: Answer): unknown {
  const usage = usageOf(answer, 1);
  return { ...envelope(answer), content: [], stop_reason: null, stop_sequence: null, usage };
}

function messageDelta(answer: Answer): unknown {
  const delta = {
    stop_reason: STOP_REASONS[answer.stopReason],
    stop_sequence: stopSequenceOf(answer),
    stop_details: null,
    container: null,
  };
  return { type: 'message_delta', delta, usage: usageOf(answer, answer.usage.outputTokens) };
}

function envelope(answer: Answer) {
  return {
    id: `msg_${answer.id}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    container: null,
    stop_details: null,
  };
}

function contentOf(answer: Answer): readonly unknown[] {
  const content: unknown[] = [];
  if (answer.thinking !== '')
    content.push({ type: 'thinking', thinking: answer.thinking, signature: signatureOf(answer) });
  if (answer.text !== '') content.push({ type: 'text', text: answer.text });
  for (const call of answer.toolCalls) content.push(toolUse(call, call.input));
  return content;
}

function toolUse(call: ToolCall, input: unknown): unknown {
  return {
    type: 'tool_use',
    id: `toolu_${call.id}`,
    name: call.name,
    input,
    caller: { type: 'direct' },
  };
}

function signatureOf(answer: Answer): string {
  return Buffer.from(`signed ${answer.id}`).toString('base64');
}

function stopSequenceOf(answer: Answer): string | null {
  return answer.stopReason === 'stop_sequence' ? (answer.stopSequence ?? null) : null;
}

/** Anthropic counts cached input separately from `input_tokens`. */
function usageOf(answer: Answer, outputTokens: number): unknown {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, thinkingTokens } = answer.usage;
  const { cacheWrite1hTokens, webSearches, serviceTier = 'standard', speed } = answer.usage;
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: Math.max(0, cacheWriteTokens - cacheWrite1hTokens),
      ephemeral_1h_input_tokens: cacheWrite1hTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: thinkingTokens },
    ...(webSearches > 0 ? { server_tool_use: { web_search_requests: webSearches } } : {}),
    service_tier: serviceTier,
    ...(speed === undefined ? {} : { speed }),
  };
}
