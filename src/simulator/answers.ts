// Composes the answer to a model request: thinking, text or tool calls, the stop reason and the usage. Pure
// and deterministic; the formats only serialize it.

import type { ModelRequest, OfferedTool } from './model-request.ts';
import { toolsToCall } from './model-request.ts';
import { fitSchema } from './scenario/fit-schema.ts';
import { proseFor, stretch, thoughtFor, topicOf } from './scenario/prose.ts';
import type { Scenario } from './scenario/scenario.ts';
import { BYTES_PER_TOKEN, capToTokens, tokensOfText } from './tokens.ts';

export type StopReason = 'end' | 'max_tokens' | 'stop_sequence' | 'tool' | 'refusal';

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly inputJson: string;
};

export type Usage = {
  /** All input, cached or not. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of the cache writes with a lifetime of an hour. */
  readonly cacheWrite1hTokens: number;
  /** All output, thinking included. */
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  /** Parts of the input and the output. */
  readonly audioInputTokens: number;
  readonly imageInputTokens: number;
  readonly audioOutputTokens: number;
  readonly imageOutputTokens: number;
  /** Uses of the provider's own tools. */
  readonly webSearches: number;
  readonly fileSearches: number;
  /** The processing tier that served the request; undefined: the standard one. */
  readonly serviceTier: string | undefined;
  readonly speed: string | undefined;
};

/** The parts that only some answers have. */
export const PLAIN_PARTS = Object.freeze({
  audioInputTokens: 0,
  imageInputTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
  webSearches: 0,
  fileSearches: 0,
  serviceTier: undefined,
  speed: undefined,
});

export type Answer = {
  /** Unique within this simulator; the formats add their own prefix. */
  readonly id: string;
  readonly model: string;
  readonly createdAt: number;
  readonly thinking: string;
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly stopReason: StopReason;
  readonly stopSequence: string | undefined;
  readonly usage: Usage;
};

export type CacheUse = { readonly readTokens: number; readonly writeTokens: number };

export function composeAnswer(
  request: ModelRequest,
  scenario: Scenario,
  identity: { readonly id: string; readonly createdAt: number },
  cache: CacheUse,
): Answer {
  const thinking = scenario.thinking ?? (request.wantsThinking ? thoughtFor(request.prompt) : '');
  const called = scenario.stopReason ? [] : chosenTools(request, scenario);
  const toolCalls = called.map((tool, index) => callTool(tool, request.prompt, identity.id, index));
  const spoken =
    toolCalls.length > 0 && scenario.text === undefined ? '' : wording(request, scenario);
  const stopped = cutAtStopSequence(spoken, request.stopSequences);
  const capped = cap({ thinking, text: stopped.text, toolCalls }, request.maxOutputTokens);
  return {
    ...identity,
    ...capped,
    model: request.model,
    stopReason: scenario.stopReason ?? reasonOf(capped, stopped.sequence),
    stopSequence: stopped.sequence,
    usage: usageOf(request, capped, scenario, cache),
  };
}

function chosenTools(request: ModelRequest, scenario: Scenario): readonly OfferedTool[] {
  if (scenario.toolCall === undefined) return toolsToCall(request);
  if (scenario.toolCall === false) return [];
  if (scenario.toolCall === true) return request.tools.slice(0, 1);
  return request.tools.filter((tool) => tool.name === scenario.toolCall);
}

function callTool(tool: OfferedTool, prompt: string, id: string, index: number): ToolCall {
  const input = fitSchema(tool.schema, topicOf(prompt));
  return { id: `${id}${index}`, name: tool.name, input, inputJson: JSON.stringify(input) };
}

function wording(request: ModelRequest, scenario: Scenario): string {
  if (scenario.text !== undefined) return scenario.text;
  const text = plainAnswer(request);
  const bytes = wantedBytes(scenario, text);
  return bytes === undefined ? text : stretch(text, bytes);
}

function plainAnswer(request: ModelRequest): string {
  if (request.outputSchema === undefined) return proseFor(request.prompt);
  return JSON.stringify(fitSchema(request.outputSchema, topicOf(request.prompt), request.prompt));
}

function wantedBytes(scenario: Scenario, text: string): number | undefined {
  const { chunks, chunkBytes, outputTokens } = scenario;
  if (outputTokens !== undefined) return outputTokens * BYTES_PER_TOKEN;
  if (chunks === undefined) return undefined;
  if (chunkBytes !== undefined) return chunks * chunkBytes;
  return Math.max(chunks * BYTES_PER_TOKEN, Buffer.byteLength(text));
}

function cutAtStopSequence(text: string, sequences: readonly string[]) {
  let end = text.length;
  let sequence: string | undefined;
  for (const candidate of sequences) {
    const at = candidate === '' ? -1 : text.indexOf(candidate);
    if (at < 0 || at >= end) continue;
    end = at;
    sequence = candidate;
  }
  return { text: text.slice(0, end), sequence };
}

type Content = Pick<Answer, 'thinking' | 'text' | 'toolCalls'> & { readonly isCapped: boolean };

/**
 * Thinking counts against the maximum first, as at the providers; a tool call that does not fit is omitted.
 */
function cap(content: Omit<Content, 'isCapped'>, maxTokens: number | undefined): Content {
  if (maxTokens === undefined || tokensOfContent(content) <= maxTokens)
    return { ...content, isCapped: false };
  const thinking = capToTokens(content.thinking, maxTokens);
  const text = capToTokens(content.text, maxTokens - tokensOfText(thinking));
  return { thinking, text, toolCalls: [], isCapped: true };
}

function tokensOfContent(content: Omit<Content, 'isCapped'>): number {
  const calls = content.toolCalls.map((call) => tokensOfText(call.name + call.inputJson));
  return calls.reduce(
    (sum, tokens) => sum + tokens,
    tokensOfText(content.thinking) + tokensOfText(content.text),
  );
}

function reasonOf(content: Content, stopSequence: string | undefined): StopReason {
  if (content.isCapped) return 'max_tokens';
  if (content.toolCalls.length > 0) return 'tool';
  return stopSequence === undefined ? 'end' : 'stop_sequence';
}

function usageOf(
  request: ModelRequest,
  content: Content,
  scenario: Scenario,
  cache: CacheUse,
): Usage {
  const stated = scenario.usage ?? {};
  return {
    inputTokens: stated.inputTokens ?? request.inputTokens,
    cacheReadTokens: stated.cacheReadTokens ?? cache.readTokens,
    cacheWriteTokens: stated.cacheWriteTokens ?? cache.writeTokens,
    cacheWrite1hTokens: stated.cacheWrite1hTokens ?? 0,
    outputTokens: stated.outputTokens ?? tokensOfContent(content),
    thinkingTokens: stated.thinkingTokens ?? tokensOfText(content.thinking),
    audioInputTokens: stated.audioInputTokens ?? 0,
    imageInputTokens: stated.imageInputTokens ?? 0,
    audioOutputTokens: stated.audioOutputTokens ?? 0,
    imageOutputTokens: stated.imageOutputTokens ?? 0,
    webSearches: stated.webSearches ?? 0,
    fileSearches: stated.fileSearches ?? 0,
    serviceTier: stated.serviceTier,
    speed: stated.speed,
  };
}
