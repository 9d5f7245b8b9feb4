// The three dialects: each reads a request, writes an answer, words a refusal, frames a stream and sends
// keep-alives.

import type { Answer } from '../answers.ts';
import type { Dialect, ReadResult } from '../model-request.ts';
import { reject } from '../model-request.ts';
import type { JsonRecord } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { Failure, Refusal } from '../scenario/failure.ts';
import { anthropicError, refuseAsAnthropic } from './anthropic/errors.ts';
import { anthropicFormat } from './anthropic/format.ts';
import { readCountTokens, readMessages } from './anthropic/read.ts';
import { refuseAsGemini } from './gemini/errors.ts';
import { geminiFormat } from './gemini/format.ts';
import { readGenerateContent } from './gemini/read.ts';
import { openaiError, refuseAsOpenai } from './openai/errors.ts';
import { openaiChatFormat } from './openai/format-chat.ts';
import { openaiCompactFormat, openaiResponsesFormat } from './openai/format-responses.ts';
import { readChatCompletion, readCompaction, readResponses } from './openai/read.ts';
import { responseOf } from './openai/responses-items.ts';
import type { StreamEvent, WireFormat } from './wire-format.ts';
import { plainEvent } from './wire-format.ts';

export function readAsk(route: Route, body: JsonRecord): ReadResult {
  return READERS[route.operation](body, route);
}

type Reader = (body: JsonRecord, route: Route) => ReadResult;

const readNothing: Reader = () => reject('this operation has no prompt');
const readGemini: Reader = (body, { pathModel = '', streaming }) =>
  readGenerateContent(body, pathModel, streaming !== 'never');

const COUNTED: Readonly<Record<Dialect, Reader>> = {
  anthropic: readCountTokens,
  openai: readResponses,
  gemini: readGemini,
};

const READERS: Readonly<Record<Route['operation'], Reader>> = {
  messages: readMessages,
  count_tokens: (body, route) => COUNTED[route.dialect](body, route),
  chat_completions: readChatCompletion,
  responses: readResponses,
  compact: readCompaction,
  generate_content: readGemini,
  embeddings: readNothing,
  models: readNothing,
  unknown: readNothing,
};

export function formatOf(route: Route): WireFormat {
  if (route.dialect === 'anthropic') return anthropicFormat;
  if (route.dialect === 'gemini') return geminiFormat;
  if (route.operation === 'compact') return openaiCompactFormat;
  return route.operation === 'responses' ? openaiResponsesFormat : openaiChatFormat;
}

const REFUSALS = {
  anthropic: refuseAsAnthropic,
  openai: refuseAsOpenai,
  gemini: refuseAsGemini,
} as const satisfies Record<Dialect, (failure: Failure) => Refusal>;

/** A Gemini stream without server-sent events reports even an error as a list. */
export function refuse(route: Route, failure: Failure): Refusal {
  const refusal = REFUSALS[route.dialect](failure);
  return route.streaming === 'json-array' ? { ...refusal, body: [refusal.body] } : refusal;
}

/** The event that reports a failure in a stream that has begun. */
export function errorEvent(route: Route, failure: Failure, answer: Answer): StreamEvent {
  if (route.dialect === 'anthropic')
    return plainEvent({ type: 'error', error: anthropicError(failure) }, 'error');
  if (route.dialect === 'gemini') return plainEvent(refuseAsGemini(failure).body);
  const error = openaiError(failure);
  if (route.operation !== 'responses') return plainEvent({ error });
  const stated = { code: error.code ?? error.type, message: error.message };
  const response = { ...responseOf(answer, 'open'), status: 'failed', error: stated };
  return plainEvent({ type: 'response.failed', response }, 'response.failed');
}
