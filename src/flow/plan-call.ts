// From a caller's request to the one call that would serve it: which model, which target, streamed or
// not, and the bytes to send. Pure. Nothing is taken from the body but what is needed here; the bytes pass
// through untouched unless the model has another name at the provider.

import type { IncomingHttpHeaders } from 'node:http';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { ModelResolver } from '../routing/resolve-model.ts';
import type { Target } from '../routing/target.ts';
import type { NativeRoute } from '../upstream/native-route.ts';
import { type JsonSpan, peekFields, readBoolean, readString } from '../upstream/peek-json.ts';
import { requestHeaders } from '../upstream/request-headers.ts';

export type PlanParts = {
  readonly resolveModel: ModelResolver;
  readonly isReasoning: (model: string) => boolean;
};

export type CallPlan = {
  readonly target: Target;
  readonly isStream: boolean;
  readonly isReasoning: boolean;
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer;
};

const WANTED_FIELDS = ['model', 'stream'] as const;

export function planCall(
  route: NativeRoute,
  incoming: IncomingHttpHeaders,
  body: Buffer,
  { resolveModel, isReasoning }: PlanParts,
): CallPlan {
  const peeked = peekFields(body, WANTED_FIELDS);
  if (!peeked.ok) throw malformed(peeked.problem, peeked.field);
  const span = peeked.fields.get('model');
  const model = route.pathModel ?? readString(body, span);
  if (model === undefined || model === '') throw invalid('the request names no model', 'model');
  const target = targetFor(resolveModel, model, route);
  return {
    target,
    isStream: route.isStreamPath || readBoolean(body, peeked.fields.get('stream')) === true,
    isReasoning: isReasoning(target.model),
    path: target.basePath + route.upstreamPath(target.model) + route.query,
    headers: requestHeaders(target.format, target.apiKey, incoming),
    body:
      route.pathModel === undefined && target.model !== model
        ? rename(body, span, target.model)
        : body,
  };
}

/** The target a model's name means; throws INVALID_REQUEST when nobody serves it. */
export function targetOf(resolveModel: ModelResolver, model: string): Target {
  const resolution = resolveModel(model);
  switch (resolution.outcome) {
    case 'unknown_model':
      throw invalid(`no provider serves the model ${model}`, 'model');
    case 'no_key':
      throw invalid(`the provider ${resolution.provider} has no key`, 'model');
    case 'target':
      return resolution.target;
  }
}

function targetFor(resolveModel: ModelResolver, model: string, route: NativeRoute): Target {
  const target = targetOf(resolveModel, model);
  if (target.format === route.format) return target;
  throw invalid(`${model} does not speak the format of this endpoint`, 'model');
}

function rename(body: Buffer, span: JsonSpan | undefined, model: string): Buffer {
  if (!span) return body;
  const value = Buffer.from(JSON.stringify(model));
  return Buffer.concat([body.subarray(0, span.start), value, body.subarray(span.end)]);
}

function malformed(problem: string, field: string | undefined): SpillwayError {
  return invalid(`the body is not a usable JSON object (${problem})`, field);
}

function invalid(message: string, field: string | undefined): SpillwayError {
  return new SpillwayError(
    'INVALID_REQUEST',
    message,
    field === undefined ? {} : { params: { field } },
  );
}
