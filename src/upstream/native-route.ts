// Which AI endpoint does this URL name? Pure and cheap: it runs for every request before anything else.
// Each endpoint is reachable at its provider's own path and under `/anthropic`, `/openai`, `/gemini`, so
// that an SDK's base URL can be either. What is not listed here is not an AI endpoint.

import type { ProviderFormat } from '../kernel/provider-format.ts';

export type NativeRoute = {
  readonly format: ProviderFormat;
  readonly operation: NativeOperation;
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

export type NativeOperation = 'messages' | 'chat' | 'generate';

type FixedRoute = Pick<NativeRoute, 'format' | 'operation' | 'upstreamPath'>;

const MESSAGES: FixedRoute = {
  format: 'anthropic',
  operation: 'messages',
  upstreamPath: () => '/v1/messages',
};
const CHAT: FixedRoute = {
  format: 'openai',
  operation: 'chat',
  /** OpenAI's base URL ends in `/v1`, so its paths do not begin with it. */
  upstreamPath: () => '/chat/completions',
};

const FIXED_ROUTES: ReadonlyMap<string, FixedRoute> = new Map([
  ['/v1/messages', MESSAGES],
  ['/anthropic/v1/messages', MESSAGES],
  ['/v1/chat/completions', CHAT],
  ['/openai/v1/chat/completions', CHAT],
  ['/openai/chat/completions', CHAT],
]);

const GEMINI_PREFIX = '/v1beta/models/';
const GEMINI_BASE = '/gemini';
const GEMINI_ACTIONS: ReadonlyMap<string, { operation: NativeOperation; isStreamPath: boolean }> =
  new Map([
    ['generateContent', { operation: 'generate', isStreamPath: false }],
    ['streamGenerateContent', { operation: 'generate', isStreamPath: true }],
  ]);

/** Every path of an AI endpoint, as documentation writes it. */
export const NATIVE_PATHS: readonly string[] = [
  ...FIXED_ROUTES.keys(),
  ...['', GEMINI_BASE].flatMap((base) =>
    [...GEMINI_ACTIONS.keys()].map((action) => `${base}${GEMINI_PREFIX}{model}:${action}`),
  ),
];

/** The path of a format's unary generation, below the provider's base URL. */
export function nativePath(format: ProviderFormat, model: string): string {
  switch (format) {
    case 'anthropic':
      return MESSAGES.upstreamPath(model);
    case 'openai':
      return CHAT.upstreamPath(model);
    case 'gemini':
      return `${GEMINI_PREFIX}${encodeURIComponent(model)}:generateContent`;
  }
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

function matchGemini(fullPath: string, query: string): NativeRoute | undefined {
  const path = fullPath.startsWith(GEMINI_BASE) ? fullPath.slice(GEMINI_BASE.length) : fullPath;
  if (!path.startsWith(GEMINI_PREFIX)) return undefined;
  const colon = path.lastIndexOf(':');
  const actionName = path.slice(colon + 1);
  const action = GEMINI_ACTIONS.get(actionName);
  const pathModel = decodeModel(path.slice(GEMINI_PREFIX.length, colon));
  if (!action || pathModel === undefined) return undefined;
  return {
    format: 'gemini',
    operation: action.operation,
    upstreamPath: (model) => `${GEMINI_PREFIX}${encodeURIComponent(model)}:${actionName}`,
    pathModel,
    isStreamPath: action.isStreamPath,
    ...splitKey(query),
  };
}

/** A model in a path may be percent-encoded, but must not be able to climb out of its segment. */
function decodeModel(segment: string): string | undefined {
  try {
    const model = decodeURIComponent(segment);
    return /^[\w.@/-]{1,200}$/.test(model) && !model.includes('..') ? model : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the credential out of the query before anything is logged, traced or forwarded. */
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
