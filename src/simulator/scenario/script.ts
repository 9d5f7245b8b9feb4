// The healthy answer to a request of any operation: the unary body, the stream events and the usage.
// Scenarios play the script or corrupt it.

import type { Answer, CacheUse, Usage } from '../answers.ts';
import { composeAnswer, PLAIN_PARTS } from '../answers.ts';
import { errorEvent, formatOf, readAsk } from '../formats/dialects.ts';
import { embedAsGemini, readGeminiEmbeddings } from '../formats/gemini/embeddings.ts';
import { embed, readEmbeddings } from '../formats/openai/embeddings.ts';
import type { StreamEvent } from '../formats/wire-format.ts';
import type { ModelRequest, ReadResult } from '../model-request.ts';
import { modelOf, modelsList } from '../models.ts';
import type { JsonRecord } from '../read-json.ts';
import type { Route } from '../route.ts';
import { chunksOf } from './chunks.ts';
import type { Failure } from './failure.ts';
import type { Scenario } from './scenario.ts';

export type Script = {
  readonly model: string;
  readonly isStream: boolean;
  readonly usage: Usage;
  whole(): string;
  events(): Iterator<StreamEvent, void>;
  errorEvent(failure: Failure): StreamEvent;
};

/** The parsed request, before a scenario is chosen. */
export type Reading = {
  readonly model: string;
  readonly isStream: boolean;
  /** Set if the request has a prompt that a provider would cache. */
  readonly request: ModelRequest | undefined;
  script(scenario: Scenario, identity: Identity, cache: CacheUse): Script;
};

export type Identity = { readonly id: string; readonly createdAt: number };

export function readRequest(route: Route, body: JsonRecord): ReadResult<Reading> {
  if (route.operation === 'models') return { request: modelsReading(route) };
  if (route.operation === 'embeddings') return embeddingsReading(route, body);
  const read = readAsk(route, body);
  if (!read.request) return read;
  return {
    request:
      route.operation === 'count_tokens'
        ? countReading(route, read.request)
        : promptReading(route, read.request),
  };
}

function promptReading(route: Route, request: ModelRequest): Reading {
  return {
    model: request.model,
    isStream: request.isStream,
    request,
    script: (scenario, identity, cache) =>
      promptScript(route, request, scenario, composeAnswer(request, scenario, identity, cache)),
  };
}

function promptScript(
  route: Route,
  request: ModelRequest,
  scenario: Scenario,
  answer: Answer,
): Script {
  const format = formatOf(route);
  return {
    model: request.model,
    isStream: request.isStream,
    usage: answer.usage,
    whole: () => JSON.stringify(format.unary(answer)),
    events: () => format.events(answer, chunksOf(answer, scenario), request),
    errorEvent: (failure) => errorEvent(route, failure, answer),
  };
}

function countReading(route: Route, request: ModelRequest): Reading {
  const { inputTokens } = request;
  return plainReading(request.model, 0, () => countOf(route.dialect, inputTokens));
}

function countOf(dialect: Route['dialect'], inputTokens: number) {
  if (dialect === 'gemini') return { totalTokens: inputTokens };
  const count = { input_tokens: inputTokens };
  return dialect === 'openai' ? { object: 'response.input_tokens', ...count } : count;
}

function embeddingsReading(route: Route, body: JsonRecord): ReadResult<Reading> {
  if (route.dialect === 'gemini') return geminiEmbeddingsReading(route, body);
  const { request, rejection } = readEmbeddings(body);
  return request
    ? { request: plainReading(request.model, request.inputTokens, () => embed(request)) }
    : { rejection };
}

function geminiEmbeddingsReading(route: Route, body: JsonRecord): ReadResult<Reading> {
  const { request, rejection } = readGeminiEmbeddings(body, route.pathModel ?? '');
  return request
    ? { request: plainReading(request.model, request.inputTokens, () => embedAsGemini(request)) }
    : { rejection };
}

function modelsReading({ dialect, pathModel }: Route): Reading {
  return plainReading(pathModel ?? '', 0, () =>
    pathModel === undefined ? modelsList(dialect) : modelOf(dialect, pathModel),
  );
}

/** Operations with a unary answer and no thinking. */
function plainReading(model: string, inputTokens: number, answer: () => unknown): Reading {
  const usage: Usage = {
    inputTokens,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    thinkingTokens: 0,
    ...PLAIN_PARTS,
  };
  const script: Script = {
    model,
    isStream: false,
    usage,
    whole: () => JSON.stringify(answer()),
    events: () => [][Symbol.iterator](),
    errorEvent: () => ({ data: '', contentBytes: 0 }),
  };
  return { model, isStream: false, request: undefined, script: () => script };
}
