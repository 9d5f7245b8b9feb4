// Matches a URL to an AI endpoint. Pure and cheap: it runs first for every request. Each endpoint is reachable at its
// provider's own path and under `/anthropic`, `/openai`, `/gemini`, so that an SDK's base URL can be either. A path
// that is not listed here is not an AI endpoint.

import type { OpenAiEndpoint, ProviderFormat } from '../kernel/provider-format.ts';

export type NativeRoute = {
  readonly format: ProviderFormat;
  readonly operation: NativeOperation;
  /** The endpoint's path as documented, without the base of the request; `{model}` is a placeholder. */
  readonly endpoint: string;
  /** The path at the provider, below its base URL; Gemini's has the model in it. */
  upstreamPath(model: string): string;
  /** The query without any credential, with its `?`, or empty. */
  readonly query: string;
  /** Gemini names the model and streaming in the path; the others in the body. */
  readonly pathModel: string | undefined;
  readonly isStreamPath: boolean;
  /** A credential given as `?key=`, which only Gemini's paths allow. */
  readonly queryKey: string | undefined;
};

export type NativeOperation =
  | 'messages'
  | 'chat'
  | 'responses'
  | 'compact'
  | 'generate'
  | 'embeddings'
  | 'count_tokens';

/** Which tokens a provider charges for. */
export type Charge = 'input_and_output' | 'input' | 'nothing';

export function chargeOf(operation: NativeOperation): Charge {
  if (operation === 'count_tokens') return 'nothing';
  // Vectors are bytes of the response, but not tokens.
  return operation === 'embeddings' ? 'input' : 'input_and_output';
}

/** Whether the endpoint streams when the body has `stream: true`; other endpoints ignore the field. */
export function streamsByBody(operation: NativeOperation): boolean {
  return operation === 'messages' || operation === 'chat' || operation === 'responses';
}

type FixedRoute = Pick<NativeRoute, 'format' | 'operation' | 'endpoint' | 'upstreamPath'>;

const MESSAGES = anthropicRoute('messages', '/messages');
const COUNT_TOKENS = anthropicRoute('count_tokens', '/messages/count_tokens');
const CHAT = openaiRoute('chat', '/chat/completions');
const RESPONSES = openaiRoute('responses', '/responses');
/** Summarises a conversation of the Responses API; agents send its answer in place of the conversation. */
const COMPACT = openaiRoute('compact', '/responses/compact');
const INPUT_TOKENS = openaiRoute('count_tokens', '/responses/input_tokens');
const EMBEDDINGS = openaiRoute('embeddings', '/embeddings');

/** SDKs disagree on whether a base URL ends in the version, so a provider's own base accepts both. */
const FIXED_ROUTES: ReadonlyMap<string, FixedRoute> = new Map([
  ...[MESSAGES, COUNT_TOKENS].flatMap((route) => pathsOf(route, ['', '/anthropic'])),
  // OpenAI's SDK with a bare origin requests `/chat/completions`.
  ...[CHAT, RESPONSES, COMPACT, INPUT_TOKENS, EMBEDDINGS].flatMap((route) =>
    pathsOf(route, ['', '/openai']),
  ),
]);

type GeminiAction = { readonly operation: NativeOperation; readonly isStreamPath: boolean };

const GEMINI_PATH = /^(?:\/gemini)?(\/v1beta|\/v1alpha|\/v1)\/models\/([^:]{1,600}):(\w{1,40})$/;
const GEMINI_BARE_PATH = /^(?:\/gemini)?\/models\/([^:]{1,600}):(\w{1,40})$/;
const GEMINI_VERSION = '/v1beta';
const GEMINI_ACTIONS: ReadonlyMap<string, GeminiAction> = new Map<string, GeminiAction>([
  ['generateContent', { operation: 'generate', isStreamPath: false }],
  ['streamGenerateContent', { operation: 'generate', isStreamPath: true }],
  ['countTokens', { operation: 'count_tokens', isStreamPath: false }],
  ['embedContent', { operation: 'embeddings', isStreamPath: false }],
  ['batchEmbedContents', { operation: 'embeddings', isStreamPath: false }],
]);

/** Every path of an AI endpoint, as documentation writes it. */
export const NATIVE_PATHS: readonly string[] = [
  ...FIXED_ROUTES.keys(),
  ...['', '/gemini'].flatMap((base) =>
    [...GEMINI_ACTIONS.keys()].map((action) => base + geminiPath('{model}', action)),
  ),
];

/** The path of a format's generation, below the provider's base URL. */
export function nativePath(
  format: ProviderFormat,
  model: string,
  isStream = false,
  endpoint: OpenAiEndpoint = 'chat',
): string {
  switch (format) {
    case 'anthropic':
      return MESSAGES.upstreamPath(model);
    case 'openai':
      return (endpoint === 'chat' ? CHAT : RESPONSES).upstreamPath(model);
    case 'gemini':
      return isStream
        ? `${geminiPath(encodeURIComponent(model), 'streamGenerateContent')}?alt=sse`
        : geminiPath(encodeURIComponent(model), 'generateContent');
  }
}

/** Gemini streams one JSON array unless the request asks for events. */
export function isArrayStream({ isStreamPath, query }: NativeRoute): boolean {
  return isStreamPath && !/[?&]alt=sse(?:&|$)/.test(query);
}

export function matchNativeRoute(url: string): NativeRoute | undefined {
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const fixed = FIXED_ROUTES.get(path);
  if (fixed) {
    const { query } = splitKey(queryAt < 0 ? '' : url.slice(queryAt + 1));
    return { ...fixed, query, pathModel: undefined, isStreamPath: false, queryKey: undefined };
  }
  return matchGemini(path, queryAt < 0 ? '' : url.slice(queryAt + 1));
}

function anthropicRoute(operation: NativeOperation, path: string): FixedRoute {
  const endpoint = `/v1${path}`;
  return { format: 'anthropic', operation, endpoint, upstreamPath: () => endpoint };
}

/** OpenAI's base URL ends in `/v1`, so the paths at the provider do not begin with it. */
function openaiRoute(operation: NativeOperation, path: string): FixedRoute {
  return { format: 'openai', operation, endpoint: `/v1${path}`, upstreamPath: () => path };
}

function pathsOf(route: FixedRoute, bases: readonly string[]): [string, FixedRoute][] {
  const path = route.endpoint.slice('/v1'.length);
  return [
    ...bases.map((base): [string, FixedRoute] => [base + route.endpoint, route]),
    ...bases.map((base): [string, FixedRoute] => [base + path, route]),
  ];
}

function geminiPath(model: string, action: string, version = GEMINI_VERSION): string {
  return `${version}/models/${model}:${action}`;
}

function matchGemini(path: string, query: string): NativeRoute | undefined {
  const [, version, modelPart = '', actionName = ''] = geminiParts(path) ?? [];
  const action = GEMINI_ACTIONS.get(actionName);
  const pathModel = decodeModel(modelPart);
  if (!action || pathModel === undefined) return undefined;
  return {
    format: 'gemini',
    operation: action.operation,
    endpoint: geminiPath('{model}', actionName),
    upstreamPath: (model) => geminiPath(encodeURIComponent(model), actionName, version),
    pathModel,
    isStreamPath: action.isStreamPath,
    ...splitKey(query),
  };
}

/** The path, its version, the model and the action. */
function geminiParts(path: string): readonly (string | undefined)[] | undefined {
  const versioned = GEMINI_PATH.exec(path);
  if (versioned) return versioned;
  const bare = GEMINI_BARE_PATH.exec(path);
  return bare ? [path, GEMINI_VERSION, bare[1], bare[2]] : undefined;
}

/** A model in a path may be percent-encoded, but must not leave its path segment. */
function decodeModel(segment: string): string | undefined {
  try {
    const model = decodeURIComponent(segment);
    return /^[\w.@/-]{1,200}$/.test(model) && !model.includes('..') ? model : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the credential from the query before the URL is logged, traced or forwarded. */
function splitKey(query: string): { query: string; queryKey: string | undefined } {
  if (query === '') return { query: '', queryKey: undefined };
  const kept: string[] = [];
  let queryKey: string | undefined;
  for (const pair of query.split('&')) {
    const [name = '', value = ''] = pair.split('=', 2);
    if (safeDecode(name) === 'key') queryKey ??= safeDecode(value);
    else if (pair !== '') kept.push(pair);
  }
  return { query: kept.length > 0 ? `?${kept.join('&')}` : '', queryKey };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
