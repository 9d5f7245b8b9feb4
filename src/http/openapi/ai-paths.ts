// The AI endpoints for /openapi.json: fastify does not know the calls, which are handled before it, and model lists have
// a path for every base URL of the SDKs.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { matchNativeRoute, NATIVE_PATHS, streamsByBody } from '../../upstream/native-route.ts';
import { aiBody } from './ai-bodies.ts';
import { aiErrors } from './error-responses.ts';

type Json = Record<string, unknown>;

export function aiPathItems(): Record<string, Json> {
  return Object.fromEntries([
    ...NATIVE_PATHS.map((path) => [path, { post: call(path) }]),
    ...MODEL_LISTS.flatMap(([path, format]) => [
      [path, { get: listing(path, format) }],
      [`${path}/{model}`, { get: listing(`${path}/{model}`, format) }],
    ]),
  ]);
}

const MODEL_LISTS: readonly (readonly [string, ProviderFormat])[] = [
  ['/v1/models', 'openai'],
  ['/v1beta/models', 'gemini'],
];

/** Not a dot segment. */
const MODEL_IN_PATH = '^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$';
/**
 * The document promises the fields of Gemini's format for Gemini's models alone: the same request for a model of another
 * vendor is translated, and a field without a counterpart there is refused.
 */
const GEMINI_MODEL = '^gemini-[A-Za-z0-9_.-]{1,120}$';
const ANSWER = { type: 'object' };

function call(path: string): Json {
  const route = matchNativeRoute(path.replace('{model}', 'm'));
  if (!route) throw new Error(`${path} is not an AI endpoint`);
  const { format, operation, isStreamPath } = route;
  const { schema, example } = aiBody(format, operation, route.endpoint);
  const isStreamed = isStreamPath || streamsByBody(operation);
  return {
    summary: SUMMARIES[operation],
    ...common(path, GEMINI_MODEL),
    'x-codeSamples': [{ lang: 'Shell', source: curl(path, example) }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema } },
    },
    responses: {
      200: {
        description: "The provider's response",
        content: {
          'application/json': { schema: isStreamPath ? { type: 'array' } : ANSWER },
          ...(isStreamed ? { 'text/event-stream': {} } : {}),
        },
      },
      202: {
        description: 'With `Prefer: respond-async`: the request became a job',
        content: { 'application/json': { schema: ANSWER } },
      },
      ...aiErrors(format),
    },
  };
}

/** Models depend on the installation, so the example is a sample to paste and not a part of the schema. */
function curl(path: string, { model, ...body }: Json & { readonly model: string }): string {
  const isInPath = path.includes('{model}');
  const url = `$SPILLWAY_URL${path.replace('{model}', model)}`;
  const data = JSON.stringify(isInPath ? body : { model, ...body });
  const headers = [`authorization: Bearer $SPILLWAY_KEY`, 'content-type: application/json'];
  const lines = [`curl "${url}"`, ...headers.map((header) => `-H "${header}"`), `-d '${data}'`];
  return lines.join(' \\\n  ');
}

const SUMMARIES = {
  messages: "A call in Anthropic's format, unary or streamed",
  count_tokens: 'Count the tokens of a call',
  chat: "A call in OpenAI's Chat Completions format, unary or streamed",
  responses: "A call in OpenAI's Responses format, unary or streamed",
  compact: 'Summarise a conversation of the Responses format',
  generate: "A call in Gemini's format",
  embeddings: 'Embed texts as vectors',
} as const;

function listing(path: string, format: ProviderFormat): Json {
  return {
    summary: "The models that the key may use, in the format of the path's provider",
    ...common(path),
    responses: {
      200: {
        description: "The format of the provider's own list",
        content: { 'application/json': { schema: ANSWER } },
      },
      ...aiErrors(format),
    },
  };
}

function common(path: string, pattern = MODEL_IN_PATH): Json {
  const schema = { type: 'string', pattern };
  const model = { name: 'model', in: 'path', required: true, schema };
  return {
    tags: ['AI'],
    security: [{ key: [] }],
    ...(path.includes('{model}') ? { parameters: [model] } : {}),
  };
}
