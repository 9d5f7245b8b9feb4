// OpenAI's Chat Completions request → the neutral form. Also the format of many compatible providers, whose older names
// (`functions`, `max_tokens`) are read too.

import { readDataUrl } from '../data-url.ts';
import { type RequestTerms, TranslationProblem } from '../dialect.ts';
import { Fields } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { isOwnWord } from '../model-words.ts';
import {
  EFFORTS,
  type MediaPart,
  type NeutralRequest,
  type OutputFormat,
  type ReasoningRequest,
  type TextPart,
  type ToolChoice,
  type ToolDefinition,
  type Turn,
  type TurnPart,
} from '../neutral-request.ts';
import { reasoningPart } from './answer.ts';

/** Hints, and options of the answer that the stream's writer handles. */
const SKIPPED = [
  'model',
  'stream',
  'stream_options',
  'user',
  'metadata',
  'store',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'verbosity',
];

export function readChatRequest(
  body: Record<string, unknown>,
  { model, isStream }: RequestTerms,
  losses: Losses,
): NeutralRequest {
  const fields = new Fields(body);
  fields.skip(...SKIPPED);
  const messages = fields.objects('messages').map((message) => readMessage(message, losses));
  const system = messages.flatMap((message) => ('system' in message ? message.system : []));
  const turns = messages.flatMap((message) => ('turn' in message ? [message.turn] : []));
  // Only this format allows instructions alone; elsewhere they are the question.
  const hasTurns = turns.length > 0 || system.length === 0;
  const request: NeutralRequest = {
    model,
    isStream,
    system: hasTurns ? system : [],
    turns: hasTurns ? turns : [{ role: 'user', parts: system }],
    tools: fields.objects('tools').flatMap((tool) => readTool(tool, losses)),
    toolChoice: readToolChoice(fields, losses),
    allowsParallelCalls: fields.flag('parallel_tool_calls'),
    maxOutputTokens: fields.number('max_completion_tokens') ?? fields.number('max_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: fields.number('top_k'),
    seed: fields.number('seed'),
    presencePenalty: fields.number('presence_penalty'),
    frequencyPenalty: fields.number('frequency_penalty'),
    stopSequences: readStop(fields),
    reasoning: readReasoning(fields),
    outputFormat: readFormat(fields.object('response_format'), losses),
  };
  fields.skip('max_tokens');
  dropUnlessDefault(fields, losses);
  fields.dropRest(losses);
  return request;
}

/** Fields with a default that equals the other vendors' behaviour. */
function dropUnlessDefault(fields: Fields, losses: Losses): void {
  const tier = fields.text('service_tier');
  if (tier !== undefined && tier !== 'auto' && tier !== 'default') losses.drop('service_tier');
  if ((fields.number('n') ?? 1) !== 1) losses.drop('n');
  if (fields.flag('logprobs') === true) losses.drop('logprobs');
  const modalities = fields.texts('modalities');
  if (modalities.some((each) => each !== 'text')) losses.drop('modalities');
}

type Message = { readonly system: readonly TextPart[] } | { readonly turn: Turn };

function readMessage(message: Fields, losses: Losses): Message {
  message.skip('name');
  const role = message.needText('role');
  switch (role) {
    case 'system':
    case 'developer':
      return { system: message.done(losses, readTexts(message)) };
    case 'user':
      return { turn: { role, parts: message.done(losses, readContent(message, losses)) } };
    case 'assistant':
      return { turn: { role, parts: message.done(losses, readAssistant(message, losses)) } };
    case 'tool':
      return {
        turn: { role: 'user', parts: message.done(losses, [readToolResult(message, losses)]) },
      };
    default:
      throw new TranslationProblem(message.path('role'), 'is unknown');
  }
}

function readTexts(message: Fields): readonly TextPart[] {
  const content = message.raw('content');
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return message.objects('content').map((part) => ({ kind: 'text', text: part.needText('text') }));
}

function readContent(message: Fields, losses: Losses): readonly (TextPart | MediaPart)[] {
  const content = message.raw('content');
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return message.objects('content').flatMap((part) => readPart(part, losses));
}

function readPart(part: Fields, losses: Losses): readonly (TextPart | MediaPart)[] {
  switch (part.needText('type')) {
    case 'text':
      return part.done(losses, [{ kind: 'text', text: part.needText('text') }]);
    case 'image_url':
      return part.done(losses, [readImage(part.needObject('image_url'), losses)]);
    case 'file':
      return part.done(losses, readFile(part.needObject('file'), losses));
    default:
      losses.drop(part.path('type'));
      return [];
  }
}

function readImage(image: Fields, losses: Losses): MediaPart {
  const url = image.needText('url');
  const source = readDataUrl(url) ?? { kind: 'url' as const, url };
  return image.done(losses, { kind: 'image', source, detail: image.text('detail') });
}

/** A file that OpenAI stores exists only there. */
function readFile(file: Fields, losses: Losses): readonly MediaPart[] {
  const data = file.text('file_data');
  if (data === undefined) {
    losses.drop(file.path('file_id'));
    return [];
  }
  const source = readDataUrl(data) ?? { kind: 'base64', mediaType: 'application/pdf', data };
  return file.done(losses, [{ kind: 'document', source, name: file.text('filename') }]);
}

function readAssistant(message: Fields, losses: Losses): readonly TurnPart[] {
  message.skip('annotations');
  const refusal = message.text('refusal');
  return [
    ...readReasoningParts(message),
    ...readAssistantContent(message, losses),
    ...(refusal === undefined ? [] : [{ kind: 'refusal' as const, text: refusal }]),
    ...message.objects('tool_calls').map((call) => readToolCall(call, losses)),
  ];
}

function readAssistantContent(message: Fields, losses: Losses): readonly TurnPart[] {
  const content = message.raw('content');
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return message.objects('content').flatMap((part): readonly TurnPart[] => {
    if (part.text('type') === 'refusal')
      return [{ kind: 'refusal', text: part.needText('refusal') }];
    return readPart(part, losses).filter((read) => isOwnWord(read, part, losses));
  });
}

/** The fields in which this format's writer gives thoughts to callers. */
function readReasoningParts(message: Fields): readonly TurnPart[] {
  const text = message.text('reasoning_content') ?? '';
  const signature = message.text('reasoning_signature');
  if (text === '' && signature === undefined) return [];
  return [reasoningPart(text, signature)];
}

function readToolCall(call: Fields, losses: Losses): TurnPart {
  call.skip('type', 'index');
  const called = call.needObject('function');
  const part = {
    kind: 'tool_call' as const,
    id: call.needText('id'),
    name: called.needName('name'),
    arguments: called.text('arguments') ?? '{}',
  };
  called.dropRest(losses);
  return call.done(losses, part);
}

function readToolResult(message: Fields, losses: Losses): TurnPart {
  return {
    kind: 'tool_result',
    callId: message.needText('tool_call_id'),
    name: undefined,
    parts: readContent(message, losses),
    isError: false,
  };
}

function readTool(tool: Fields, losses: Losses): readonly ToolDefinition[] {
  if (tool.needText('type') !== 'function') {
    losses.drop(tool.path('type'));
    return [];
  }
  const definition = tool.needObject('function');
  const read = {
    name: definition.needName('name'),
    description: definition.text('description'),
    parameters: definition.json('parameters'),
    isStrict: definition.flag('strict'),
  };
  definition.dropRest(losses);
  return tool.done(losses, [read]);
}

function readToolChoice(fields: Fields, losses: Losses): ToolChoice | undefined {
  const choice = fields.raw('tool_choice');
  if (choice === undefined) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { kind: choice };
  const named = fields.needObject('tool_choice');
  if (named.text('type') === 'function')
    return { kind: 'tool', name: named.needObject('function').needName('name') };
  losses.drop('tool_choice.type');
  return undefined;
}

function readStop(fields: Fields): readonly string[] {
  const stop = fields.raw('stop');
  return typeof stop === 'string' ? [stop] : fields.texts('stop');
}

function readReasoning(fields: Fields): ReasoningRequest | undefined {
  const effort = fields.text('reasoning_effort');
  if (effort === undefined) return undefined;
  const known = EFFORTS.find((level) => level === effort);
  if (known === undefined) throw new TranslationProblem('reasoning_effort', 'is unknown');
  return { effort: known, budgetTokens: undefined, isShown: undefined };
}

function readFormat(format: Fields | undefined, losses: Losses): OutputFormat | undefined {
  switch (format?.needText('type')) {
    case undefined:
    case 'text':
      return undefined;
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema': {
      const stated = format?.needObject('json_schema');
      const schema = stated?.json('schema') ?? {};
      return {
        kind: 'json_schema',
        name: stated?.text('name'),
        schema,
        isStrict: stated?.flag('strict'),
      };
    }
    default:
      losses.drop('response_format.type');
      return undefined;
  }
}
