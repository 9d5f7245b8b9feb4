// The neutral form → Anthropic's Messages request. Anthropic requires alternating turns, with tool results first in a
// turn, so neighbouring turns of one role are merged. Thoughts without Anthropic's signature are left out, because
// Anthropic would refuse them.

import { argumentsObject } from '../call-arguments.ts';
import type { WritingTerms } from '../dialect.ts';
import { defined } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { mergeTurns } from '../merge-turns.ts';
import type {
  JsonObject,
  MediaPart,
  NeutralRequest,
  ReasoningPart,
  ToolChoice,
  ToolDefinition,
  ToolResultPart,
  Turn,
  TurnPart,
} from '../neutral-request.ts';
import { writeReasoning } from './reasoning-config.ts';

export function writeMessagesRequest(
  request: NeutralRequest,
  terms: WritingTerms,
  losses: Losses,
): JsonObject {
  if (request.seed !== undefined) losses.drop('seed');
  if (request.presencePenalty) losses.drop('presence_penalty');
  if (request.frequencyPenalty) losses.drop('frequency_penalty');
  if (request.outputFormat?.kind === 'json') losses.drop('response_format');
  const maxTokens = request.maxOutputTokens ?? terms.maxOutputTokens;
  return defined({
    model: request.model,
    max_tokens: maxTokens,
    stream: request.isStream || undefined,
    system: request.system.length === 0 ? undefined : request.system.map(textBlock),
    messages: mergeTurns(request.turns).flatMap(writeTurn),
    tools: request.tools.length === 0 ? undefined : request.tools.map(writeTool),
    tool_choice: writeToolChoice(request),
    temperature: clampTemperature(request, losses),
    top_p: request.topP,
    top_k: request.topK,
    stop_sequences: request.stopSequences.length === 0 ? undefined : request.stopSequences,
    ...writeReasoning(request, maxTokens),
  });
}

/** Anthropic's scale ends at 1, other vendors' at 2: a value above 1 has no counterpart and is a loss. */
function clampTemperature({ temperature }: NeutralRequest, losses: Losses): number | undefined {
  if (temperature === undefined || temperature <= 1) return temperature;
  losses.drop('temperature');
  return 1;
}

/** Anthropic refuses a turn without content. */
function writeTurn({ role, parts }: Turn): readonly JsonObject[] {
  const results = parts.filter((part) => part.kind === 'tool_result');
  const others = parts.filter((part) => part.kind !== 'tool_result');
  const content = [...results, ...others].flatMap(writePart);
  return content.length === 0 ? [] : [{ role, content }];
}

function writePart(part: TurnPart): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      // Anthropic refuses empty text blocks.
      return part.text === '' ? [] : [textBlock(part)];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'image':
    case 'document':
      return [writeMedia(part)];
    case 'tool_call':
      return [
        { type: 'tool_use', id: part.id, name: part.name, input: argumentsObject(part.arguments) },
      ];
    case 'tool_result':
      return [writeToolResult(part)];
    case 'reasoning':
      return writeThought(part);
  }
}

function textBlock({ text }: { readonly text: string }): JsonObject {
  return { type: 'text', text };
}

function writeMedia({ kind, source, name }: MediaPart): JsonObject {
  return defined({
    type: kind,
    source:
      source.kind === 'url'
        ? { type: 'url', url: source.url }
        : writeBytes(source.mediaType, source.data),
    title: kind === 'document' ? name : undefined,
  });
}

/** Plain text has its own kind of source; base64 is for PDFs and images. */
function writeBytes(mediaType: string, data: string): JsonObject {
  if (mediaType !== 'text/plain') return { type: 'base64', media_type: mediaType, data };
  return { type: 'text', media_type: mediaType, data: Buffer.from(data, 'base64').toString() };
}

function writeToolResult({ callId, parts, isError }: ToolResultPart): JsonObject {
  return defined({
    type: 'tool_result',
    tool_use_id: callId,
    content: parts.flatMap(writePart),
    is_error: isError || undefined,
  });
}

function writeThought({ text, signature, isRedacted }: ReasoningPart): readonly JsonObject[] {
  if (signature?.vendor !== 'messages') return [];
  if (isRedacted) return [{ type: 'redacted_thinking', data: signature.data }];
  return [{ type: 'thinking', thinking: text, signature: signature.data }];
}

const NO_ARGUMENTS = Object.freeze({ type: 'object', properties: {} });

function writeTool({ name, description, parameters, isStrict }: ToolDefinition): JsonObject {
  return defined({
    name,
    description,
    // Anthropic requires the type, which other vendors assume.
    input_schema: parameters ? { type: 'object', ...parameters } : NO_ARGUMENTS,
    strict: isStrict,
  });
}

function writeToolChoice({
  toolChoice,
  allowsParallelCalls,
}: NeutralRequest): JsonObject | undefined {
  if (!toolChoice && allowsParallelCalls !== false) return undefined;
  const choice = toolChoice ?? { kind: 'auto' };
  const parallel = allowsParallelCalls === false && choice.kind !== 'none' ? true : undefined;
  return defined({ ...choiceType(choice), disable_parallel_tool_use: parallel });
}

function choiceType(choice: ToolChoice): JsonObject {
  switch (choice.kind) {
    case 'required':
      return { type: 'any' };
    case 'tool':
      return { type: 'tool', name: choice.name };
    case 'auto':
    case 'none':
      return { type: choice.kind };
  }
}
