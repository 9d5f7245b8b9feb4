// The neutral form → OpenAI's Responses request, stateless: nothing is stored, and thoughts come back encrypted, so that
// the next request can carry them.

import { toUrl } from '../data-url.ts';
import { effortOf } from '../effort.ts';
import { defined } from '../fields.ts';
import type { Losses } from '../losses.ts';
import type {
  JsonObject,
  MediaPart,
  NeutralRequest,
  OutputFormat,
  TextPart,
  ToolChoice,
  ToolDefinition,
  ToolResultPart,
  Turn,
  TurnPart,
} from '../neutral-request.ts';
import { writeReasoningItem } from './reasoning-item.ts';

export function writeResponsesRequest(
  request: NeutralRequest,
  _terms: unknown,
  losses: Losses,
): JsonObject {
  dropMissing(request, losses);
  const { system, tools, toolChoice, outputFormat } = request;
  return defined({
    model: request.model,
    instructions: system.length === 0 ? undefined : system.map(({ text }) => text).join('\n\n'),
    input: request.turns.flatMap(writeTurn),
    stream: request.isStream || undefined,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    tools: tools.length === 0 ? undefined : tools.map(writeTool),
    tool_choice: toolChoice && writeToolChoice(toolChoice),
    parallel_tool_calls: tools.length === 0 ? undefined : request.allowsParallelCalls,
    reasoning: writeReasoning(request),
    text: outputFormat && { format: writeFormat(outputFormat) },
  });
}

function dropMissing(request: NeutralRequest, losses: Losses): void {
  if (request.topK !== undefined) losses.drop('top_k');
  if (request.seed !== undefined) losses.drop('seed');
  if (request.presencePenalty) losses.drop('presence_penalty');
  if (request.frequencyPenalty) losses.drop('frequency_penalty');
  if (request.stopSequences.length > 0) losses.drop('stop');
}

/** Items of a turn, in order; neighbouring texts and media of the user are one message. */
function writeTurn({ role, parts }: Turn, turn: number): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] = [];
  const flush = () => {
    if (content.length > 0) items.push({ type: 'message', role, content });
    content = [];
  };
  for (const [at, part] of parts.entries()) {
    const item = itemOf(part) ?? (role === 'assistant' ? saidItem(part, `${turn}_${at}`) : null);
    if (!item) content.push(...contentOf(part));
    else {
      flush();
      items.push(item);
    }
  }
  flush();
  return items;
}

/** The model's own words. OpenAI's SDK has a text without an id as a string only, and a refusal in an item of an answer. */
function saidItem(part: TurnPart, id: string): JsonObject | undefined {
  const message = { type: 'message', role: 'assistant' };
  if (part.kind === 'text') return { ...message, content: part.text };
  if (part.kind !== 'refusal') return undefined;
  const content = [{ type: 'refusal', refusal: part.text }];
  return { ...message, id: `msg_${id}`, status: 'completed', content };
}

function itemOf(part: TurnPart): JsonObject | undefined {
  switch (part.kind) {
    case 'tool_call': {
      const { id, name, arguments: text } = part;
      return { type: 'function_call', call_id: id, name, arguments: text };
    }
    case 'tool_result':
      return { type: 'function_call_output', call_id: part.callId, output: outputOf(part) };
    case 'reasoning':
      return writeReasoningItem(part);
    case 'text':
    case 'refusal':
    case 'image':
    case 'document':
      return undefined;
  }
}

function outputOf({ parts, isError }: ToolResultPart): unknown {
  if (parts.some((part) => part.kind !== 'text')) return parts.flatMap((part) => contentOf(part));
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  return isError ? `Error: ${text}` : text;
}

function contentOf(part: TurnPart | TextPart | MediaPart): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return [{ type: 'input_text', text: part.text }];
    case 'image':
      return [
        { type: 'input_image', image_url: toUrl(part.source), detail: part.detail ?? 'auto' },
      ];
    case 'document':
      return [writeFile(part)];
    case 'tool_call':
    case 'tool_result':
    case 'reasoning':
      return [];
  }
}

function writeFile({ source, name }: MediaPart): JsonObject {
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url };
  return { type: 'input_file', filename: name ?? 'document.pdf', file_data: toUrl(source) };
}

/**
 * Functions are strict in this format unless the request says otherwise, and few schemas written for other vendors
 * satisfy strict mode.
 */
function writeTool({ name, description, parameters, isStrict }: ToolDefinition): JsonObject {
  return defined({
    type: 'function',
    name,
    description,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: isStrict ?? false,
  });
}

function writeToolChoice(choice: ToolChoice): unknown {
  return choice.kind === 'tool' ? { type: 'function', name: choice.name } : choice.kind;
}

function writeReasoning({ reasoning }: NeutralRequest): JsonObject | undefined {
  if (!reasoning) return undefined;
  const { effort, budgetTokens, isShown } = reasoning;
  return defined({
    effort: effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens)),
    summary: isShown ? 'auto' : undefined,
  });
}

function writeFormat(format: OutputFormat): JsonObject {
  if (format.kind === 'json') return { type: 'json_object' };
  const { name = 'answer', schema, isStrict } = format;
  return defined({ type: 'json_schema', name, schema, strict: isStrict });
}
