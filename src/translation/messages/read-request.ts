// Anthropic's Messages request → the neutral form. Hints (cache_control, metadata, service tiers that are standard,
// container ids that are null) change nothing for the caller and are skipped. `read-messages.ts` reads the messages.

import { type RequestTerms, TranslationProblem } from '../dialect.ts';
import { Fields } from '../fields.ts';
import type { Losses } from '../losses.ts';
import {
  EFFORTS,
  type Effort,
  instructionsIn,
  type NeutralRequest,
  type OutputFormat,
  type ReasoningRequest,
  type ToolChoice,
  type ToolDefinition,
  turnsIn,
} from '../neutral-request.ts';
import { readMessage, readSystem } from './read-messages.ts';

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
    system: [...readSystem(fields, losses), ...instructionsIn(messages)],
    turns: turnsIn(messages),
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

/** Other vendors serve the standard tier too. */
function dropTier(fields: Fields, losses: Losses): void {
  const tier = fields.text('service_tier');
  if (tier !== undefined && tier !== 'auto' && tier !== 'standard_only')
    losses.drop('service_tier');
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
