// Refusals of a request because of its own content: its model, its fields, its JSON. They name the caller's own
// text, which is no leak, so that a developer sees what to correct. Pure.

import type { RequestProblem } from '../../errors/codes.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { isNestedTooDeeply } from '../../kernel/json-depth.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Resolution } from '../../routing/resolve-targets.ts';
import { MAX_NAMES, type PeekResult } from '../../upstream/json/peek-fields.ts';
import { hasTooMuchStructure, MAX_STRUCTURE_BYTES } from '../../upstream/json/structure-bytes.ts';

/** The endpoint that serves models of each format. */
const ENDPOINTS: Readonly<Record<ProviderFormat, string>> = {
  anthropic: '/v1/messages',
  openai: '/v1/chat/completions',
  gemini: '/v1beta/models/{model}:generateContent',
};

export function invalidField(
  message: string,
  field: string | undefined,
  problem?: RequestProblem,
): SpillwayError {
  const params = { ...(field === undefined ? {} : { field }), ...(problem ? { problem } : {}) };
  return new SpillwayError('INVALID_REQUEST', message, { params });
}

/** No target serves the model that the request names. */
export function modelRefusal(
  resolution: Exclude<Resolution, { outcome: 'targets' }>,
  model: string,
): SpillwayError {
  switch (resolution.outcome) {
    case 'unknown_model':
      return refusedModel(model, 'unknown_model', `no provider serves the model ${model}`);
    case 'no_key':
      return refusedModel(model, 'no_credential', `${resolution.provider} has no credential`);
    case 'other_format': {
      const endpoint = ENDPOINTS[resolution.format];
      const message = `${model} is served at ${endpoint}`;
      return new SpillwayError('INVALID_REQUEST', message, {
        params: { field: 'model', problem: 'other_format', model, endpoint },
      });
    }
  }
}

/** The provider does not know the model: the answer uses the caller's name of the model, not the provider's. */
export function withCallersModel(
  error: SpillwayError,
  { requestedModel: model }: { readonly requestedModel: string },
): SpillwayError {
  const { params } = error;
  if (params.problem !== 'unknown_model' || params.model !== undefined) return error;
  const { code, message, retryable, lesson, cause } = error;
  return new SpillwayError(code, message, {
    params: { ...params, model },
    retryable,
    ...(lesson && { lesson }),
    cause,
  });
}

export function modelNameTooLong(): SpillwayError {
  return invalidField('the name of the model is too long', 'model', 'too_long');
}

/** No price is known, so the call could not be charged. */
export function unpricedModel(model: string): SpillwayError {
  return refusedModel(model, 'unpriced_model', `no price is known for ${model}`);
}

export function unreadableBody(
  { problem, field }: Extract<PeekResult, { ok: false }>,
  body: Buffer,
): SpillwayError {
  if (body.length === 0) return invalidField('the body is empty', undefined, 'empty_body');
  if (problem === 'duplicate_field')
    return invalidField(`${field} occurs twice`, field, 'duplicate_field');
  if (problem === 'other_case')
    return invalidField(`${field} is known in another case only`, field, 'not_supported');
  if (problem === 'too_many_fields') return tooManyFields();
  if (problem === 'too_deep')
    return invalidField('the body is nested too deeply', undefined, 'too_deep');
  const position = problem === 'not_object' ? undefined : findBreak(body);
  const message = `the body is not a usable JSON object (${problem})`;
  if (!position) return invalidField(message, undefined);
  return new SpillwayError('INVALID_REQUEST', message, {
    params: { problem: 'malformed_json', ...position },
  });
}

/** A body that is within its size limit but costs too much time to read. */
export function tooManyFields(): SpillwayError {
  return new SpillwayError('REQUEST_TOO_LARGE', `the body has more than ${MAX_NAMES} fields`);
}

/** For a body with so much JSON outside its strings that parsing it would block the process. */
export function structureRefusal(body: Buffer): SpillwayError | undefined {
  return hasTooMuchStructure(body) ? tooMuchStructure() : undefined;
}

export function tooMuchStructure(): SpillwayError {
  const message = `the body has more than ${MAX_STRUCTURE_BYTES} bytes outside of its strings`;
  return new SpillwayError('REQUEST_TOO_LARGE', message);
}

function refusedModel(model: string, problem: RequestProblem, message: string): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', message, {
    params: { field: 'model', problem, model },
  });
}

/** Bounds the work for a body that is refused anyway. */
const MAX_SEARCHED_BYTES = 1_048_576;

/** Where the JSON text breaks, both counted from 1; undefined if that is beyond the searched part. */
function findBreak(body: Buffer): { line: number; column: number } | undefined {
  const text = body.toString('utf8', 0, MAX_SEARCHED_BYTES);
  if (isNestedTooDeeply(text)) return undefined;
  const at = breakIndex(text);
  if (at === undefined || (at >= text.length && body.length > MAX_SEARCHED_BYTES)) return undefined;
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: at - lineStart + 1 };
}

/** The engine names the position, except for a text that ends too early. */
function breakIndex(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
    return position === undefined ? text.length : Number(position);
  }
}
