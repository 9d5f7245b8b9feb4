// What a healthy answer to a request would be, whichever operation it is: the whole body, the events of its
// stream, and what it costs. The scenarios play a script out, or spoil it.

import type { Answer, CacheUse, Usage } from '../answers.ts';
import { composeAnswer } from '../answers.ts';
import type { Ask, ReadResult } from '../ask.ts';
import { errorEvent, formatOf, readAsk } from '../formats/dialects.ts';
import { embed, readEmbeddings } from '../formats/embeddings.ts';
import { embedAsGemini, readGeminiEmbeddings } from '../formats/embeddings-gemini.ts';
import type { StreamEvent } from '../formats/wire-format.ts';
import { modelOf, modelsList } from '../models.ts';
import type { JsonRecord } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { Failure } from './failure.ts';
import { piecesOf } from './pieces.ts';
import type { Scenario } from './scenario.ts';

export type Script = {
  readonly model: string;
  readonly isStream: boolean;
  readonly usage: Usage;
  whole(): string;
  events(): Iterator<StreamEvent, void>;
  errorEvent(failure: Failure): StreamEvent;
};

/** What was understood of a request before any scenario is known. */
export type Reading = {
  readonly model: string;
  readonly isStream: boolean;
  /** Set where there is a prompt that a provider would cache. */
  readonly ask: Ask | undefined;
  script(scenario: Scenario, identity: Identity, cache: CacheUse): Script;
};

export type Identity = { readonly id: string; readonly createdAt: number };

export function readRequest(route: Route, body: JsonRecord): ReadResult<Reading> {
  if (route.operation === 'models') return { ask: modelsReading(route) };
  if (route.operation === 'embeddings') return embeddingsReading(route, body);
  const read = readAsk(route, body);
  if (!read.ask) return read;
  return {
    ask:
      route.operation === 'count_tokens'
        ? countReading(route, read.ask)
        : promptReading(route, read.ask),
  };
}

function promptReading(route: Route, ask: Ask): Reading {
  return {
    model: ask.model,
    isStream: ask.isStream,
    ask,
    script: (scenario, identity, cache) =>
      promptScript(route, ask, scenario, composeAnswer(ask, scenario, identity, cache)),
  };
}

function promptScript(route: Route, ask: Ask, scenario: Scenario, answer: Answer): Script {
  const format = formatOf(route);
  return {
    model: ask.model,
    isStream: ask.isStream,
    usage: answer.usage,
    whole: () => JSON.stringify(format.unary(answer)),
    events: () => format.events(answer, piecesOf(answer, scenario), ask),
    errorEvent: (failure) => errorEvent(route, failure, answer),
  };
}

function countReading(route: Route, ask: Ask): Reading {
  const { inputTokens } = ask;
  const count =
    route.dialect === 'gemini' ? { totalTokens: inputTokens } : { input_tokens: inputTokens };
  return plainReading(ask.model, 0, () => count);
}

function embeddingsReading(route: Route, body: JsonRecord): ReadResult<Reading> {
  if (route.dialect === 'gemini') return geminiEmbeddingsReading(route, body);
  const { ask, misread } = readEmbeddings(body);
  return ask ? { ask: plainReading(ask.model, ask.inputTokens, () => embed(ask)) } : { misread };
}

function geminiEmbeddingsReading(route: Route, body: JsonRecord): ReadResult<Reading> {
  const { ask, misread } = readGeminiEmbeddings(body, route.pathModel ?? '');
  return ask
    ? { ask: plainReading(ask.model, ask.inputTokens, () => embedAsGemini(ask)) }
    : { misread };
}

function modelsReading({ dialect, pathModel }: Route): Reading {
  return plainReading(pathModel ?? '', 0, () =>
    pathModel === undefined ? modelsList(dialect) : modelOf(dialect, pathModel),
  );
}

/** Operations that answer in one piece and think nothing. */
function plainReading(model: string, inputTokens: number, answer: () => unknown): Reading {
  const usage: Usage = {
    inputTokens,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    thinkingTokens: 0,
  };
  const script: Script = {
    model,
    isStream: false,
    usage,
    whole: () => JSON.stringify(answer()),
    events: () => [][Symbol.iterator](),
    errorEvent: () => ({ data: '', contentBytes: 0 }),
  };
  return { model, isStream: false, ask: undefined, script: () => script };
}
