// The neutral form → OpenAI's Chat Completions request, also for compatible providers. Tool results become separate
// messages before the text of the same turn. The format has no field for thoughts, so they are left out.

import { toUrl } from '../data-url.ts';
import type { WritingTerms } from '../dialect.ts';
import { effortOf } from '../effort.ts';
import { defined } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { mergeTurns } from '../merge-turns.ts';
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

export function writeChatRequest(
  request: NeutralRequest,
  { chat }: Pick<WritingTerms, 'chat'>,
  losses: Losses,
): JsonObject {
  if (request.topK !== undefined) losses.drop('top_k');
  const { outputFormat, toolChoice } = request;
  const hasTools = request.tools.length > 0;
  return defined({
    model: request.model,
    messages: [
      ...systemMessages(request.system),
      ...mergeTurns(request.turns).flatMap((turn) => writeTurn(turn, losses)),
    ],
    stream: request.isStream || undefined,
    stream_options:
      request.isStream && chat?.knowsUsageOption !== false ? { include_usage: true } : undefined,
    [chat?.knowsNewMaximum === false ? 'max_tokens' : 'max_completion_tokens']:
      request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    stop: request.stopSequences.length === 0 ? undefined : request.stopSequences,
    tools: hasTools ? request.tools.map(writeTool) : undefined,
    tool_choice: toolChoice && writeToolChoice(toolChoice),
    parallel_tool_calls: hasTools ? request.allowsParallelCalls : undefined,
    reasoning_effort: writeEffort(request),
    response_format: outputFormat && writeFormat(outputFormat),
  });
}

function systemMessages(system: readonly TextPart[]): readonly JsonObject[] {
  if (system.length === 0) return [];
  return [{ role: 'system', content: system.map(({ text }) => text).join('\n\n') }];
}

function writeTurn({ role, parts }: Turn, losses: Losses): readonly JsonObject[] {
  return role === 'assistant' ? writeAssistant(parts) : writeUser(parts, losses);
}

function writeUser(parts: readonly TurnPart[], losses: Losses): readonly JsonObject[] {
  const results = parts.filter((part) => part.kind === 'tool_result');
  const content = parts.flatMap((part) => writeContent(part, losses));
  // Results of tools are texts here; their images and documents follow as the user's.
  const media = results.flatMap(({ parts: inner }) =>
    inner.flatMap((part) => mediaOf(part, losses)),
  );
  const all = [...media, ...content];
  return [
    ...results.map(writeToolResult),
    ...(all.length === 0 ? [] : [{ role: 'user', content: simplest(all) }]),
  ];
}

function mediaOf(part: TextPart | MediaPart, losses: Losses): readonly JsonObject[] {
  return part.kind === 'text' ? [] : writeContent(part, losses);
}

/** A single text is written as a string, which every compatible provider understands. */
function simplest(content: readonly JsonObject[]): unknown {
  const [only] = content;
  return content.length === 1 && only?.['type'] === 'text' ? only['text'] : content;
}

function writeContent(part: TurnPart, losses: Losses): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'image':
      return [
        { type: 'image_url', image_url: defined({ url: toUrl(part.source), detail: part.detail }) },
      ];
    case 'document':
      return writeDocument(part, losses);
    case 'tool_call':
    case 'tool_result':
    case 'reasoning':
    case 'refusal':
      return [];
  }
}

/** Plain text is passed as text: not every model of this format reads files. None reads a file by its URL. */
function writeDocument({ source, name }: MediaPart, losses: Losses): readonly JsonObject[] {
  if (source.kind === 'url') {
    losses.drop('file_url');
    return [];
  }
  if (source.mediaType.startsWith('text/'))
    return [{ type: 'text', text: Buffer.from(source.data, 'base64').toString() }];
  return [{ type: 'file', file: { filename: name ?? 'document.pdf', file_data: toUrl(source) } }];
}

function writeToolResult({ callId, parts, isError }: ToolResultPart): JsonObject {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const text = texts.join('\n');
  return { role: 'tool', tool_call_id: callId, content: isError ? `Error: ${text}` : text };
}

function writeAssistant(parts: readonly TurnPart[]): readonly JsonObject[] {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const refusals = parts.flatMap((part) => (part.kind === 'refusal' ? [part.text] : []));
  const calls = parts.flatMap((part) =>
    part.kind === 'tool_call'
      ? [
          {
            id: part.id,
            type: 'function',
            function: { name: part.name, arguments: part.arguments },
          },
        ]
      : [],
  );
  if (texts.length + refusals.length + calls.length === 0) return [];
  return [
    defined({
      role: 'assistant',
      content: texts.length === 0 ? null : texts.join(''),
      refusal: refusals.length === 0 ? undefined : refusals.join(''),
      tool_calls: calls.length === 0 ? undefined : calls,
    }),
  ];
}

function writeTool({ name, description, parameters, isStrict }: ToolDefinition): JsonObject {
  return {
    type: 'function',
    function: defined({ name, description, parameters, strict: isStrict }),
  };
}

function writeToolChoice(choice: ToolChoice): unknown {
  return choice.kind === 'tool'
    ? { type: 'function', function: { name: choice.name } }
    : choice.kind;
}

function writeEffort({ reasoning }: NeutralRequest): string | undefined {
  if (!reasoning) return undefined;
  const { effort, budgetTokens } = reasoning;
  return effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
}

function writeFormat(format: OutputFormat): JsonObject {
  if (format.kind === 'json') return { type: 'json_object' };
  const { name = 'answer', schema, isStrict } = format;
  return { type: 'json_schema', json_schema: defined({ name, schema, strict: isStrict }) };
}
