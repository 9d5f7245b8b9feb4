// OpenAI's Chat Completions request → the neutral form. Older names of fields (`functions`, `max_tokens`) are read too, because
// compatible providers still use them. Messages are read-messages.ts.

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
import { readMessage } from './read-messages.ts';

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
  const system = instructionsIn(messages);
  const turns = turnsIn(messages);
  // Only this format allows a request with instructions alone; for other formats they become the user's message.
  const hasTurns = turns.length > 0 || system.length === 0;
  const request: NeutralRequest = {
    model,
    isStream,
    system: hasTurns ? system : [],
    turns: hasTurns ? turns : [{ role: 'user', parts: system }],
    tools: fields.objects('tools').flatMap((tool) => readTool(tool, losses)),
    toolChoice: readToolChoice(fields, losses),
    allowsParallelCalls: fields.flag('parallel_tool_calls'),
    // A maximum of 0 states none.
    maxOutputTokens:
      fields.number('max_completion_tokens') || fields.number('max_tokens') || undefined,
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
