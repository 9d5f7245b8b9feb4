// Writes the request of a chat's own call in a wire format, and reads the answer, by the dialects of translation/. The
// format is that of the model's first target, so that a call at one provider is not translated; targets of other formats
// in its chain are. Gemini names the model in the path, where an alias may not fit: its models are called by Chat
// Completions, translated.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../admission/principal.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { DIALECTS_BY_NAME } from '../../translation/dialects.ts';
import { isObject } from '../../translation/fields.ts';
import { Losses } from '../../translation/losses.ts';
import type { JsonObject, NeutralRequest, Turn } from '../../translation/neutral-request.ts';
import { matchNativeRoute } from '../../upstream/native-route.ts';
import { type PlanParts, targetsOf } from '../call/plan-call.ts';
import type { NativeRequest } from '../serve/native-request.ts';
import type { OwnAnswer } from './own-call.ts';

export type ModelRequest = {
  readonly id: string;
  readonly principal: Principal;
  readonly headers: IncomingHttpHeaders;
  readonly correlationId: string | undefined;
  readonly startedAtMs: number;
  readonly model: string;
  readonly system: string | undefined;
  readonly turns: readonly Turn[];
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
  readonly schema?: JsonObject | undefined;
};

type OwnDialect = 'messages' | 'chat';

const PATHS = { messages: '/v1/messages', chat: '/v1/chat/completions' } as const;

/** Throws INVALID_REQUEST if no provider serves the model. */
export function writeModelRequest(parts: PlanParts, request: ModelRequest): NativeRequest {
  const { id, principal, headers, correlationId, startedAtMs, maxOutputTokens } = request;
  const name = dialectOf(parts, request.model);
  const url = PATHS[name];
  const route = matchNativeRoute(url);
  if (!route) throw new Error(`${url} is not an AI endpoint`);
  const written = DIALECTS_BY_NAME[name].writeRequest(
    neutralRequest(request),
    { maxOutputTokens },
    new Losses('lenient'),
  );
  const body = Buffer.from(JSON.stringify(written));
  return { id, url, route, principal, headers, body, correlationId, startedAtMs };
}

/** The text of an answer in the format of its request. */
export function readModelText({ url }: NativeRequest, { body }: OwnAnswer): string {
  const name: OwnDialect = url === PATHS.messages ? 'messages' : 'chat';
  const { parts } = DIALECTS_BY_NAME[name].readAnswer(objectOf(body));
  return parts.flatMap((part) => (isText(part) ? [part.text] : [])).join('');
}

function isText(part: { readonly kind: string }): part is { kind: 'text'; text: string } {
  return part.kind === 'text' || part.kind === 'refusal';
}

function dialectOf({ resolveTargets }: PlanParts, model: string): OwnDialect {
  const [first] = targetsOf(resolveTargets, model, undefined).targets;
  return first?.format === 'anthropic' ? 'messages' : 'chat';
}

function neutralRequest(request: ModelRequest): NeutralRequest {
  const { model, system, turns, maxOutputTokens, temperature, schema } = request;
  return {
    model,
    isStream: false,
    system: system === undefined ? [] : [{ kind: 'text', text: system }],
    turns,
    tools: [],
    toolChoice: undefined,
    allowsParallelCalls: undefined,
    maxOutputTokens,
    temperature,
    topP: undefined,
    topK: undefined,
    seed: undefined,
    presencePenalty: undefined,
    frequencyPenalty: undefined,
    stopSequences: [],
    reasoning: undefined,
    outputFormat: schema && { kind: 'json_schema', name: 'decision', schema, isStrict: true },
  };
}

function objectOf(body: Buffer): JsonObject {
  const value: unknown = JSON.parse(body.toString('utf8'));
  if (isObject(value)) return value;
  throw new SpillwayError('PROVIDER_UNAVAILABLE', 'the answer is not an object', {
    params: { reason: 'error' },
  });
}
