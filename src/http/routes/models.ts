// The model lists of the SDKs: OpenAI's format, Anthropic's and Gemini's on their own paths or with a header of their
// clients. They list the models that the key may use in that format and call no provider. Errors have the format of the
// list, so that each SDK raises its own class.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { ServableModels } from '../../routing/servable-models.ts';
import type { Gate } from '../authenticate.ts';
import { fromFrameworkError } from '../framework-error.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { MODEL_SHAPES, type ModelQuery } from '../model-shapes.ts';
import type { ErrorReplier } from '../reply-error.ts';

export type ModelRouteParts = {
  readonly models: ServableModels;
  readonly gate: Gate;
  readonly replyError: ErrorReplier;
};

type FormatOf = (request: FastifyRequest) => ProviderFormat;

/** Three vendors have `/v1/models`; each has a header that only its clients send. */
const asSent: FormatOf = ({ headers }) => {
  if (headers['anthropic-version'] !== undefined) return 'anthropic';
  return headers['x-goog-api-key'] === undefined ? 'openai' : 'gemini';
};

/** SDKs differ in whether the base URL contains the version, so each provider has both paths. */
const LISTS: readonly (readonly [path: string, formatOf: FormatOf])[] = [
  ['/v1/models', asSent],
  ['/models', asSent],
  ['/openai/v1/models', () => 'openai'],
  ['/openai/models', () => 'openai'],
  ['/anthropic/v1/models', () => 'anthropic'],
  ['/anthropic/models', () => 'anthropic'],
  ['/v1beta/models', () => 'gemini'],
  ['/v1alpha/models', () => 'gemini'],
  ['/gemini/v1beta/models', () => 'gemini'],
  ['/gemini/v1alpha/models', () => 'gemini'],
  ['/gemini/v1/models', () => 'gemini'],
  ['/gemini/models', () => 'gemini'],
];

export function modelRoutes(parts: ModelRouteParts): RegisterRoutes {
  return (app) => {
    for (const [path, formatOf] of LISTS) {
      const options = { schema: { hide: true }, errorHandler: inShape(parts, formatOf) };
      app.get(path, options, (request) => listModels(parts, request, formatOf(request)));
      // A model name may contain slashes, so the rest of the path is the name.
      app.get(`${path}/*`, options, (request) => oneModel(parts, request, formatOf(request)));
    }
  };
}

async function listModels(
  { models, gate }: ModelRouteParts,
  request: FastifyRequest,
  format: ProviderFormat,
): Promise<unknown> {
  const query = queryOf(request);
  const principal = await gate.requireScope(request, 'call', keyIn(query, format));
  return MODEL_SHAPES[format].page(models.list(format, principal.models), query);
}

async function oneModel(
  { models, gate }: ModelRouteParts,
  request: FastifyRequest,
  format: ProviderFormat,
): Promise<unknown> {
  const principal = await gate.requireScope(request, 'call', keyIn(queryOf(request), format));
  const name = nameIn(request);
  const model = models.find(name, format, principal.models);
  if (model) return MODEL_SHAPES[format].one(model);
  // A call for the model is refused with the same code.
  throw new SpillwayError('INVALID_REQUEST', 'no such model in this format for this key', {
    params: { field: 'model', problem: 'unknown_model', model: name },
  });
}

function inShape({ replyError }: ModelRouteParts, formatOf: FormatOf) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    replyError({
      error: fromFrameworkError(error),
      format: formatOf(request),
      requestId: request.id,
      request: request.raw,
      response: reply.raw,
      principal: request.principal,
      isBegun: false,
      isRefusal: true,
      isCounted: true,
    });
  };
}

function queryOf({ query }: FastifyRequest): ModelQuery {
  return typeof query === 'object' && query !== null ? { ...query } : {};
}

/** Only Gemini's paths accept a credential in the query. */
function keyIn(query: ModelQuery, format: ProviderFormat): string | undefined {
  const { key } = query;
  return format === 'gemini' && typeof key === 'string' ? key : undefined;
}

function nameIn({ params }: FastifyRequest): string {
  const rest: unknown = typeof params === 'object' && params !== null && Reflect.get(params, '*');
  return typeof rest === 'string' ? rest : '';
}
