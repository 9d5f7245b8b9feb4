// OpenAI's Responses request → the neutral form, stateless: a request that continues a stored response or conversation
// names what only OpenAI has. Freeform tools (`custom`, which Codex uses for patches) become functions with one text,
// `input`, and their calls are turned back in the answer.

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
import { freeformTool, wrapFreeform } from './freeform.ts';
import { readReasoningItem } from './reasoning-item.ts';

/** Hints, options of the answer, and defaults of a stateless request. */
const SKIPPED = [
  'model',
  'stream',
  'stream_options',
  'store',
  'user',
  'metadata',
  'client_metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
];

export function readResponsesRequest(
  body: Record<string, unknown>,
  { model, isStream }: RequestTerms,
  losses: Losses,
): NeutralRequest {
  const fields = new Fields(body);
  fields.skip(...SKIPPED);
  const items = readInput(fields, losses);
  const instructions = fields.text('instructions');
  const first = instructions === undefined ? [] : [{ kind: 'text' as const, text: instructions }];
  const text = fields.object('text');
  const request: NeutralRequest = {
    model,
    isStream,
    system: [...first, ...items.flatMap((item) => ('system' in item ? item.system : []))],
    turns: items.flatMap((item) => ('turn' in item ? [item.turn] : [])),
    tools: fields.objects('tools').flatMap((tool) => readTool(tool, losses)),
    toolChoice: readToolChoice(fields, losses),
    allowsParallelCalls: fields.flag('parallel_tool_calls'),
    maxOutputTokens: fields.number('max_output_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: undefined,
    seed: undefined,
    presencePenalty: undefined,
    frequencyPenalty: undefined,
    stopSequences: [],
    reasoning: readReasoning(fields.object('reasoning'), losses),
    outputFormat: readFormat(text?.object('format'), losses),
  };
  text?.skip('verbosity');
  text?.dropRest(losses);
  dropUnlessDefault(fields, losses);
  fields.dropRest(losses);
  return request;
}

/** Fields with a default that equals the other vendors' behaviour. */
function dropUnlessDefault(fields: Fields, losses: Losses): void {
  const tier = fields.text('service_tier');
  if (tier !== undefined && tier !== 'auto' && tier !== 'default') losses.drop('service_tier');
  const truncation = fields.text('truncation');
  if (truncation !== undefined && truncation !== 'disabled') losses.drop('truncation');
  if (fields.flag('background') === true) losses.drop('background');
  if ((fields.number('top_logprobs') ?? 0) > 0) losses.drop('top_logprobs');
  // The other values concern items that a translated answer does not have.
  if (fields.texts('include').includes('message.output_text.logprobs')) losses.drop('include');
}

type Item = { readonly system: readonly TextPart[] } | { readonly turn: Turn };

function readInput(fields: Fields, losses: Losses): readonly Item[] {
  const input = fields.raw('input');
  if (typeof input === 'string')
    return [{ turn: { role: 'user', parts: [{ kind: 'text', text: input }] } }];
  return fields.objects('input').flatMap((item) => readItem(item, losses));
}

function readItem(item: Fields, losses: Losses): readonly Item[] {
  const type = item.text('type') ?? 'message';
  item.skip('status', 'id', 'internal_chat_message_metadata_passthrough');
  switch (type) {
    case 'message':
      return [readMessage(item, losses)];
    case 'function_call':
      return [assistant(item, losses, readCall(item, item.text('arguments') ?? '{}'))];
    case 'custom_tool_call':
      return [assistant(item, losses, readCall(item, wrapFreeform(item.text('input') ?? '')))];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [user(item, losses, readOutput(item, losses))];
    case 'reasoning':
      return [assistant(item, losses, readReasoningItem(item))];
    default:
      losses.drop(item.path('type'));
      return [];
  }
}

function assistant(item: Fields, losses: Losses, part: TurnPart): Item {
  return item.done(losses, { turn: { role: 'assistant' as const, parts: [part] } });
}

function user(item: Fields, losses: Losses, part: TurnPart): Item {
  return item.done(losses, { turn: { role: 'user' as const, parts: [part] } });
}

function readMessage(item: Fields, losses: Losses): Item {
  item.skip('phase');
  const role = item.needText('role');
  const content = item.raw('content');
  const parts =
    typeof content === 'string'
      ? [{ kind: 'text' as const, text: content }]
      : item.objects('content').flatMap((part) => {
          const read = readPart(part, losses);
          return role === 'user' ? read : read.filter((each) => isOwnWord(each, part, losses));
        });
  item.dropRest(losses);
  if (role === 'user' || role === 'assistant') return { turn: { role, parts } };
  if (role !== 'system' && role !== 'developer')
    throw new TranslationProblem(item.path('role'), 'is unknown');
  return { system: parts.flatMap((part) => (part.kind === 'text' ? [part] : [])) };
}

type ContentPart = TextPart | MediaPart | Extract<TurnPart, { kind: 'refusal' }>;

function readPart(part: Fields, losses: Losses): readonly ContentPart[] {
  switch (part.needText('type')) {
    case 'input_text':
    case 'output_text':
    case 'text':
      part.skip('annotations', 'logprobs');
      return part.done(losses, [{ kind: 'text', text: part.needText('text') }]);
    case 'refusal':
      return part.done(losses, [{ kind: 'refusal', text: part.needText('refusal') }]);
    case 'input_image':
      return readImage(part, losses);
    case 'input_file':
      return readFile(part, losses);
    default:
      losses.drop(part.path('type'));
      return [];
  }
}

/** An image or a file that OpenAI stores exists only there. */
function readImage(part: Fields, losses: Losses): readonly MediaPart[] {
  const url = part.text('image_url');
  const detail = part.text('detail');
  part.dropRest(losses);
  if (url === undefined) return [];
  return [{ kind: 'image', source: readDataUrl(url) ?? { kind: 'url', url }, detail }];
}

function readFile(part: Fields, losses: Losses): readonly MediaPart[] {
  const data = part.text('file_data');
  const url = part.text('file_url');
  const name = part.text('filename');
  part.dropRest(losses);
  if (data !== undefined) {
    const bytes = { kind: 'base64' as const, mediaType: 'application/pdf', data };
    return [{ kind: 'document', source: readDataUrl(data) ?? bytes, name }];
  }
  return url === undefined ? [] : [{ kind: 'document', source: { kind: 'url', url }, name }];
}

function readCall(item: Fields, text: string): TurnPart {
  return {
    kind: 'tool_call',
    id: item.needText('call_id'),
    name: item.needName('name'),
    arguments: text,
  };
}

function readOutput(item: Fields, losses: Losses): TurnPart {
  const output = item.raw('output');
  const parts: (TextPart | MediaPart)[] = [];
  if (typeof output === 'string') parts.push({ kind: 'text', text: output });
  else
    for (const inner of item.objects('output'))
      for (const part of readPart(inner, losses)) if (part.kind !== 'refusal') parts.push(part);
  const callId = item.needText('call_id');
  item.skip('name');
  return { kind: 'tool_result', callId, name: undefined, parts, isError: false };
}

function readTool(tool: Fields, losses: Losses): readonly ToolDefinition[] {
  switch (tool.needText('type')) {
    case 'function':
      return tool.done(losses, [
        {
          name: tool.needName('name'),
          description: tool.text('description'),
          parameters: tool.json('parameters'),
          isStrict: tool.flag('strict'),
        },
      ]);
    case 'custom':
      return [freeformTool(tool)];
    default:
      losses.drop(tool.path('type'));
      return [];
  }
}

function readToolChoice(fields: Fields, losses: Losses): ToolChoice | undefined {
  const choice = fields.raw('tool_choice');
  if (choice === undefined) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { kind: choice };
  const named = fields.needObject('tool_choice');
  const type = named.text('type');
  if (type === 'function' || type === 'custom')
    return { kind: 'tool', name: named.needName('name') };
  losses.drop('tool_choice.type');
  return undefined;
}

function readReasoning(
  reasoning: Fields | undefined,
  losses: Losses,
): ReasoningRequest | undefined {
  if (!reasoning) return undefined;
  const stated = reasoning.text('effort');
  const effort = EFFORTS.find((level) => level === stated);
  if (stated !== undefined && effort === undefined)
    throw new TranslationProblem('reasoning.effort', 'is unknown');
  const summary = reasoning.text('summary') ?? reasoning.text('generate_summary');
  reasoning.skip('generate_summary', 'context');
  reasoning.dropRest(losses);
  const isShown = summary !== undefined && summary !== 'none';
  return effort === undefined && !isShown
    ? undefined
    : { effort, budgetTokens: undefined, isShown };
}

function readFormat(format: Fields | undefined, losses: Losses): OutputFormat | undefined {
  switch (format?.needText('type') ?? 'text') {
    case 'text':
      return undefined;
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return {
        kind: 'json_schema',
        name: format?.text('name'),
        schema: format?.json('schema') ?? {},
        isStrict: format?.flag('strict'),
      };
    default:
      losses.drop('text.format.type');
      return undefined;
  }
}
