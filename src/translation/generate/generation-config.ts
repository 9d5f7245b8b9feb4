// Gemini's generationConfig ↔ the neutral form.

import { TranslationProblem } from '../dialect.ts';
import { budgetOf } from '../effort.ts';
import { defined, Fields } from '../fields.ts';
import type { Losses } from '../losses.ts';
import {
  EFFORTS,
  type JsonObject,
  type NeutralRequest,
  type OutputFormat,
  type ReasoningRequest,
} from '../neutral-request.ts';
import { toJsonSchema } from './schema.ts';

/** The largest budget that every Gemini model accepts. */
const MAX_BUDGET = 24_576;

export type ConfiguredRequest = Pick<
  NeutralRequest,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'seed'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'reasoning'
  | 'outputFormat'
>;

export function readGenerationConfig(given: Fields | undefined, losses: Losses): ConfiguredRequest {
  const config = given ?? new Fields({});
  const thinking = config.object('thinkingConfig');
  const modalities = config.texts('responseModalities');
  if (modalities.some((each) => each.toUpperCase() !== 'TEXT'))
    losses.drop(config.path('responseModalities'));
  if ((config.number('candidateCount') ?? 1) !== 1) losses.drop(config.path('candidateCount'));
  if (config.flag('responseLogprobs') === true) losses.drop(config.path('responseLogprobs'));
  return config.done(losses, {
    maxOutputTokens: config.number('maxOutputTokens'),
    temperature: config.number('temperature'),
    topP: config.number('topP'),
    topK: config.number('topK'),
    seed: config.number('seed'),
    presencePenalty: config.number('presencePenalty'),
    frequencyPenalty: config.number('frequencyPenalty'),
    stopSequences: config.texts('stopSequences'),
    reasoning: thinking && readThinking(thinking, losses),
    outputFormat: readFormat(config, losses),
  });
}

/** A budget of -1 lets the model decide, which is every vendor's default. */
function readThinking(thinking: Fields, losses: Losses): ReasoningRequest | undefined {
  const budget = thinking.number('thinkingBudget');
  const level = thinking.text('thinkingLevel')?.toLowerCase();
  const isShown = thinking.flag('includeThoughts') ?? false;
  thinking.dropRest(losses);
  if (budget === 0) return { effort: 'none', budgetTokens: undefined, isShown: false };
  const effort = EFFORTS.find((each) => each === level);
  if (level !== undefined && effort === undefined && level !== 'thinking_level_unspecified')
    throw new TranslationProblem(thinking.path('thinkingLevel'), 'is unknown');
  const budgetTokens = budget === undefined || budget < 0 ? undefined : budget;
  if (effort === undefined && budgetTokens === undefined && !isShown) return undefined;
  return { effort, budgetTokens, isShown };
}

function readFormat(config: Fields, losses: Losses): OutputFormat | undefined {
  const type = config.text('responseMimeType');
  const schema = config.json('responseJsonSchema');
  const own = config.json('responseSchema');
  const stated = schema ?? (own && toJsonSchema(own));
  // A bare word of an enumeration is not JSON.
  if (type === 'text/x.enum') losses.drop(config.path('responseMimeType'));
  if (stated) return { kind: 'json_schema', name: undefined, schema: stated, isStrict: undefined };
  if (type === 'application/json') return { kind: 'json' };
  if (type !== undefined && type !== 'text/plain' && type !== 'text/x.enum')
    losses.drop(config.path('responseMimeType'));
  return undefined;
}

export function writeGenerationConfig(request: NeutralRequest): JsonObject | undefined {
  const { outputFormat, stopSequences } = request;
  const config = defined({
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    seed: request.seed,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    stopSequences: stopSequences.length === 0 ? undefined : stopSequences,
    responseMimeType: outputFormat ? 'application/json' : undefined,
    responseJsonSchema: outputFormat?.kind === 'json_schema' ? outputFormat.schema : undefined,
    thinkingConfig: writeThinking(request),
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

function writeThinking({ reasoning }: NeutralRequest): JsonObject | undefined {
  if (!reasoning) return undefined;
  const { effort, budgetTokens, isShown } = reasoning;
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetOf(effort));
  const thinkingBudget = budget === undefined ? undefined : Math.min(budget, MAX_BUDGET);
  return defined({ thinkingBudget, includeThoughts: isShown || undefined });
}
