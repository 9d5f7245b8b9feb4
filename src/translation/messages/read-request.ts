// Anthropic's Messages request → the neutral form. Hints (cache_control, metadata, service tiers that are standard,
// container ids that are null) change nothing for the caller and are skipped.

import type { RequestTerms } from '../dialect.ts';
import { TranslationProblem } from '../dialect.ts';
import { Fields } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { isOwnWord } from '../model-words.ts';
import type {
  Effort,
  MediaPart,
  NeutralRequest,
  OutputFormat,
  ReasoningRequest,
  TextPart,
  ToolChoice,
  ToolDefinition,
  Turn,
  TurnPart,
} from '../neutral-request.ts';
import { EFFORTS } from '../neutral-request.ts';
import { unwrapProof, unwrapSignature } from '../signature.ts';

export function readMessagesRequest(
  body: Record<string, unknown>,
  { model, isStream }: RequestTerms,
  losses: Losses,
): NeutralRequest {
  const fields = new Fields(body);
  fields.skip('model', 'stream', 'metadata', 'cache_control', 'context_management');
  const messages = fields.objects('messages').map((message) => readMessage(message, losses));
  const choice = fields.object('tool_choice');
  const output = fields.object('output_config');
  const request: NeutralRequest = {
    model,
    isStream,
    system: [...readSystem(fields, losses), ...messages.flatMap(systemOf)],
    turns: messages.flatMap((message) => ('turn' in message ? [message.turn] : [])),
    tools: fields.objects('tools').flatMap((tool) => readTool(tool, losses)),
    toolChoice: choice && readToolChoice(choice),
    allowsParallelCalls: choice && allowsParallel(choice),
    maxOutputTokens: fields.number('max_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: fields.number('top_k'),
    seed: undefined,
    presencePenalty: undefined,
    frequencyPenalty: undefined,
    stopSequences: fields.texts('stop_sequences'),
    reasoning: readReasoning(fields.object('thinking'), output, losses),
    outputFormat: readFormat(fields, output),
  };
  choice?.dropRest(losses);
  output?.dropRest(losses);
  dropTier(fields, losses);
  fields.dropRest(losses);
  return request;
}

/** The standard tier is what another vendor serves anyway. */
function dropTier(fields: Fields, losses: Losses): void {
  const tier = fields.text('service_tier');
  if (tier !== undefined && tier !== 'auto' && tier !== 'standard_only')
    losses.drop('service_tier');
}

function readSystem(fields: Fields, losses: Losses): readonly TextPart[] {
  const system = fields.raw('system');
  if (typeof system === 'string') return [{ kind: 'text', text: system }];
  return fields.objects('system').map((block) => readText(block, losses));
}

type Message = { readonly system: readonly TextPart[] } | { readonly turn: Turn };

function systemOf(message: Message): readonly TextPart[] {
  return 'system' in message ? message.system : [];
}

/** Instructions between turns (role `system`) join the system prompt: not every vendor has a place for them there. */
function readMessage(message: Fields, losses: Losses): Message {
  const role = message.needText('role');
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new TranslationProblem(message.path('role'), 'is unknown');
  const content = message.raw('content');
  const parts =
    typeof content === 'string'
      ? [{ kind: 'text' as const, text: content }]
      : message.objects('content').flatMap((block) => {
          const read = readBlock(block, losses);
          return role === 'user' ? read : read.filter((part) => isOwnWord(part, block, losses));
        });
  message.dropRest(losses);
  if (role !== 'system') return { turn: { role, parts } };
  return { system: parts.flatMap((part) => (part.kind === 'text' ? [part] : [])) };
}

function readBlock(block: Fields, losses: Losses): readonly TurnPart[] {
  block.skip('cache_control');
  switch (block.needText('type')) {
    case 'text':
      return [readText(block, losses)];
    case 'image':
    case 'document':
      return readMedia(block, losses);
    case 'tool_use':
      return [readToolUse(block, losses)];
    case 'tool_result':
      return [readToolResult(block, losses)];
    case 'thinking':
      return [readThinking(block, losses)];
    case 'redacted_thinking':
      return [readRedacted(block, losses)];
    default:
      losses.drop(block.path('type'));
      return [];
  }
}

function readText(block: Fields, losses: Losses): TextPart {
  block.skip('type', 'cache_control', 'citations');
  const text = block.needText('text');
  block.dropRest(losses);
  return { kind: 'text', text };
}

function readMedia(block: Fields, losses: Losses): readonly MediaPart[] {
  block.skip('cache_control');
  const kind = block.needText('type') === 'image' ? 'image' : 'document';
  const source = readSource(block.needObject('source'), losses);
  const name = block.text('title');
  const citations = block.object('citations');
  if (citations?.flag('enabled') === true) losses.drop(block.path('citations'));
  return block.done(losses, source ? [{ kind, source, name }] : []);
}

/** A file that Anthropic stores exists only there. */
function readSource(source: Fields, losses: Losses): MediaPart['source'] | undefined {
  switch (source.needText('type')) {
    case 'base64':
      return source.done(losses, {
        kind: 'base64',
        mediaType: source.needText('media_type'),
        data: source.needText('data'),
      });
    case 'text':
      return source.done(losses, {
        kind: 'base64',
        mediaType: source.text('media_type') ?? 'text/plain',
        data: Buffer.from(source.needText('data')).toString('base64'),
      });
    case 'url':
      return source.done(losses, { kind: 'url', url: source.needText('url') });
    default:
      losses.drop(source.path('type'));
      return undefined;
  }
}

function readToolUse(block: Fields, losses: Losses): TurnPart {
  const input = block.json('input') ?? {};
  const id = block.needText('id');
  const name = block.needName('name');
  block.skip('caller');
  block.dropRest(losses);
  return { kind: 'tool_call', id, name, arguments: JSON.stringify(input) };
}

function readToolResult(block: Fields, losses: Losses): TurnPart {
  const content = block.raw('content');
  const parts: (TextPart | MediaPart)[] = [];
  if (typeof content === 'string') parts.push({ kind: 'text', text: content });
  else
    for (const inner of block.objects('content'))
      for (const part of readBlock(inner, losses))
        if (part.kind === 'text' || part.kind === 'image' || part.kind === 'document')
          parts.push(part);
        else losses.drop(inner.path('type'));
  const callId = block.needText('tool_use_id');
  const isError = block.flag('is_error') ?? false;
  block.dropRest(losses);
  return { kind: 'tool_result', callId, name: undefined, parts, isError };
}

function readThinking(block: Fields, losses: Losses): TurnPart {
  const text = block.text('thinking') ?? '';
  const signature = block.text('signature');
  block.dropRest(losses);
  if (!signature) return { kind: 'reasoning', text, signature: undefined, isRedacted: false };
  return { kind: 'reasoning', text, ...unwrapProof(signature, 'messages') };
}

function readRedacted(block: Fields, losses: Losses): TurnPart {
  const signature = unwrapSignature(block.needText('data'), 'messages');
  block.dropRest(losses);
  return { kind: 'reasoning', text: '', signature, isRedacted: true };
}

/** A tool with a type other than `custom` is defined by Anthropic; no other vendor's model knows it. */
function readTool(tool: Fields, losses: Losses): readonly ToolDefinition[] {
  const type = tool.text('type');
  if (type !== undefined && type !== 'custom') {
    losses.drop(tool.path('type'));
    return [];
  }
  tool.skip('cache_control', 'eager_input_streaming');
  const definition = {
    name: tool.needName('name'),
    description: tool.text('description'),
    parameters: tool.json('input_schema'),
    isStrict: tool.flag('strict'),
  };
  return tool.done(losses, [definition]);
}

function readToolChoice(choice: Fields): ToolChoice {
  const type = choice.needText('type');
  switch (type) {
    case 'auto':
    case 'none':
      return { kind: type };
    case 'any':
      return { kind: 'required' };
    case 'tool':
      return { kind: 'tool', name: choice.needName('name') };
    default:
      throw new TranslationProblem(choice.path('type'), 'is unknown');
  }
}

function allowsParallel(choice: Fields): boolean | undefined {
  const isDisabled = choice.flag('disable_parallel_tool_use');
  return isDisabled === undefined ? undefined : !isDisabled;
}

function readReasoning(
  thinking: Fields | undefined,
  output: Fields | undefined,
  losses: Losses,
): ReasoningRequest | undefined {
  const effort = readEffort(output);
  if (!thinking) return effort === undefined ? undefined : request(effort, undefined, false);
  const type = thinking.needText('type');
  const budgetTokens = thinking.number('budget_tokens');
  const display = thinking.text('display');
  thinking.dropRest(losses);
  if (type === 'disabled') return request('none', undefined, false);
  return request(effort, budgetTokens, display !== 'omitted');
}

function readEffort(output: Fields | undefined): Effort | undefined {
  const stated = output?.text('effort');
  const effort = EFFORTS.find((level) => level === stated);
  if (stated !== undefined && effort === undefined)
    throw new TranslationProblem('output_config.effort', 'is unknown');
  return effort;
}

function request(
  effort: Effort | undefined,
  budgetTokens: number | undefined,
  isShown: boolean,
): ReasoningRequest {
  return { effort, budgetTokens, isShown };
}

/** `output_format` is the older name of `output_config.format`. */
function readFormat(fields: Fields, output: Fields | undefined): OutputFormat | undefined {
  const format = output?.object('format') ?? fields.object('output_format');
  if (!format) return undefined;
  if (format.needText('type') !== 'json_schema')
    throw new TranslationProblem(format.path('type'), 'is unknown');
  const schema = format.json('schema');
  if (!schema) throw new TranslationProblem(format.path('schema'), 'is missing');
  return { kind: 'json_schema', name: undefined, schema, isStrict: true };
}
