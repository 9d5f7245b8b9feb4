// Serializes an answer for Gemini: one GenerateContentResponse, or one per stream chunk. A function call is
// never split; every chunk carries the usage so far.

import type { Answer, StopReason, ToolCall } from '../../answers.ts';
import type { Piece } from '../../scenario/chunks.ts';
import { tokensOfBytes } from '../../tokens.ts';
import type { StreamEvent, WireFormat } from '../wire-format.ts';

const FINISH_REASONS = {
  end: 'STOP',
  max_tokens: 'MAX_TOKENS',
  stop_sequence: 'STOP',
  tool: 'STOP',
  refusal: 'SAFETY',
} as const satisfies Record<StopReason, string>;

export const geminiFormat: WireFormat = {
  unary: (answer) => ({
    candidates: [candidate(answer, partsOf(answer), true)],
    ...envelope(answer, visibleTokens(answer)),
  }),
  events,
};

function* events(answer: Answer, pieces: Iterable<Piece>): Generator<StreamEvent, void> {
  let sentBytes = 0;
  let lastCall: ToolCall | undefined;
  for (const piece of pieces) {
    if (piece.kind === 'tool' && piece.call === lastCall) continue;
    if (piece.kind === 'tool') lastCall = piece.call;
    const bytes = piece.kind === 'tool' ? Buffer.byteLength(piece.call.inputJson) : piece.bytes;
    if (piece.kind !== 'thinking') sentBytes += bytes;
    yield chunk(answer, [partOf(piece)], false, tokensOfBytes(sentBytes), bytes);
  }
  yield chunk(answer, [{ text: '' }], true, visibleTokens(answer), 0);
}

function chunk(
  answer: Answer,
  parts: readonly unknown[],
  isLast: boolean,
  tokens: number,
  contentBytes: number,
): StreamEvent {
  const response = {
    candidates: [candidate(answer, parts, isLast)],
    ...envelope(answer, Math.min(tokens, visibleTokens(answer))),
  };
  return { data: JSON.stringify(response), contentBytes, isClosing: isLast };
}

function candidate(answer: Answer, parts: readonly unknown[], isLast: boolean): unknown {
  const isRefused = answer.stopReason === 'refusal';
  return {
    ...(isRefused && isLast ? {} : { content: { parts, role: 'model' } }),
    ...(isLast ? { finishReason: FINISH_REASONS[answer.stopReason] } : {}),
    index: 0,
    ...(isRefused && isLast ? { safetyRatings: [RATING] } : {}),
  };
}

const RATING = Object.freeze({
  category: 'HARM_CATEGORY_DANGEROUS_CONTENT',
  probability: 'HIGH',
  blocked: true,
});

function partsOf(answer: Answer): readonly unknown[] {
  const parts: unknown[] = [];
  if (answer.thinking !== '') parts.push({ text: answer.thinking, thought: true });
  if (answer.text !== '') parts.push({ text: answer.text });
  for (const call of answer.toolCalls) parts.push(callPart(call));
  return parts;
}

function partOf(piece: Piece): unknown {
  if (piece.kind === 'tool') return callPart(piece.call);
  return piece.kind === 'thinking' ? { text: piece.delta, thought: true } : { text: piece.delta };
}

function callPart(call: ToolCall): unknown {
  return { functionCall: { id: call.id, name: call.name, args: call.input } };
}

function envelope(answer: Answer, tokens: number) {
  const { inputTokens, cacheReadTokens, thinkingTokens } = answer.usage;
  return {
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: tokens,
      totalTokenCount: inputTokens + tokens + thinkingTokens,
      ...(cacheReadTokens === 0 ? {} : { cachedContentTokenCount: cacheReadTokens }),
      ...(thinkingTokens === 0 ? {} : { thoughtsTokenCount: thinkingTokens }),
      promptTokensDetails: modalities(
        inputTokens,
        answer.usage.audioInputTokens,
        answer.usage.imageInputTokens,
      ),
      ...candidateDetails(answer, tokens),
      ...(answer.usage.serviceTier === undefined ? {} : { serviceTier: answer.usage.serviceTier }),
    },
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

function modalities(total: number, audio: number, image: number): readonly unknown[] {
  const counts = [
    ['TEXT', Math.max(0, total - audio - image)],
    ['AUDIO', audio],
    ['IMAGE', image],
  ] as const;
  return counts
    .filter(([modality, tokenCount]) => modality === 'TEXT' || tokenCount > 0)
    .map(([modality, tokenCount]) => ({ modality, tokenCount }));
}

/** Only for output other than text. */
function candidateDetails(answer: Answer, tokens: number): Record<string, unknown> {
  const { audioOutputTokens, imageOutputTokens } = answer.usage;
  if (audioOutputTokens + imageOutputTokens === 0) return {};
  return { candidatesTokensDetails: modalities(tokens, audioOutputTokens, imageOutputTokens) };
}

/** Gemini counts thoughts separately from the candidates. */
function visibleTokens(answer: Answer): number {
  return Math.max(0, answer.usage.outputTokens - answer.usage.thinkingTokens);
}
