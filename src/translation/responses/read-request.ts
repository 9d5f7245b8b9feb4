// OpenAI's Responses request → the neutral form, stateless: a request that continues a stored response or conversation
// refers to an object that only OpenAI has. Freeform tools (`custom`, which Codex uses for patches) become functions
// with one text, `input`, and their calls are turned back in the answer. `read-input.ts` reads the input items.

import { type RequestTerms, TranslationProblem } from '../dialect.ts';
import { Fields } from '../fields.ts';
import type { Losses } from '../losses.ts';
import {
  EFFORTS,
  instructionsIn,
  type NeutralRequest,
  type OutputFormat,
  type ReasoningRequest,
  type ToolChoice,
  type ToolDefinition,
  turnsIn,
} from '../neutral-request.ts';
import { freeformTool } from './freeform.ts';
import { readInput } from './read-input.ts';

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
    system: [...first, ...instructionsIn(items)],
    turns: turnsIn(items),
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
  // The other values concern items that translated answers do not contain.
  if (fields.texts('include').includes('message.output_text.logprobs')) losses.drop('include');
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
