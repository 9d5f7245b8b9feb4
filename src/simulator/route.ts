// Resolves the provider, dialect and operation of a request. The SDKs call these paths on a bare origin. A
// prefix (`/groq/v1/chat/completions`) names the provider in scenarios and in the truth log, which
// separates providers that share a dialect.

import type { IncomingHttpHeaders } from 'node:http';
import type { Dialect, Operation } from './model-request.ts';

export type Route = {
  readonly provider: string;
  readonly dialect: Dialect;
  readonly operation: Operation | 'unknown';
  /** Without query and provider prefix. */
  readonly path: string;
  /** Gemini puts the model into the path. */
  readonly pathModel: string | undefined;
  readonly streaming: 'by-body' | 'never' | 'sse' | 'json-array';
  readonly queryKey: string | undefined;
};

type Target = Pick<Route, 'dialect' | 'operation' | 'streaming'> & { readonly pathModel?: string };

const FIXED: ReadonlyMap<string, Target> = new Map<string, Target>([
  ['/v1/messages', { dialect: 'anthropic', operation: 'messages', streaming: 'by-body' }],
  [
    '/v1/messages/count_tokens',
    { dialect: 'anthropic', operation: 'count_tokens', streaming: 'never' },
  ],
  [
    '/v1/chat/completions',
    { dialect: 'openai', operation: 'chat_completions', streaming: 'by-body' },
  ],
  ['/v1/responses', { dialect: 'openai', operation: 'responses', streaming: 'by-body' }],
  ['/v1/responses/compact', { dialect: 'openai', operation: 'compact', streaming: 'never' }],
  [
    '/v1/responses/input_tokens',
    { dialect: 'openai', operation: 'count_tokens', streaming: 'never' },
  ],
  ['/v1/embeddings', { dialect: 'openai', operation: 'embeddings', streaming: 'never' }],
]);

const GEMINI_ACTION = /^\/v1(?:beta|alpha)?\/models\/([^/:]{1,200}):(\w{1,40})$/;
const MODELS = /^\/(v1|v1beta|v1alpha)\/models(?:\/([^/]{1,200}))?$/;
const NAMED = /^\/([a-z0-9][a-z0-9-]{0,31})(\/.+)$/;

export function matchRoute(method: string, url: string, headers: IncomingHttpHeaders): Route {
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const query = queryAt < 0 ? '' : url.slice(queryAt + 1);
  const direct = matchPath(method, path, query, headers);
  if (direct) return build(direct.dialect, direct, path, query);
  const [, name = '', rest = ''] = NAMED.exec(path) ?? [];
  const named = matchPath(method, rest, query, headers);
  if (named) return build(name, named, rest, query);
  const dialect = guessDialect(path, headers);
  return build(dialect, { dialect, operation: 'unknown', streaming: 'never' }, path, query);
}

function matchPath(
  method: string,
  path: string,
  query: string,
  headers: IncomingHttpHeaders,
): Target | undefined {
  if (method === 'POST') return FIXED.get(path) ?? matchGemini(path, query);
  const found = method === 'GET' ? MODELS.exec(path) : null;
  if (!found) return undefined;
  const dialect = found[1] === 'v1' ? guessDialect(path, headers) : 'gemini';
  return { dialect, operation: 'models', streaming: 'never', pathModel: found[2] };
}

function matchGemini(path: string, query: string): Target | undefined {
  const [, pathModel, action] = GEMINI_ACTION.exec(path) ?? [];
  if (pathModel === undefined) return undefined;
  const known = { dialect: 'gemini', pathModel: safeDecode(pathModel) } as const;
  if (action === 'countTokens') return { ...known, operation: 'count_tokens', streaming: 'never' };
  if (action === 'embedContent' || action === 'batchEmbedContents')
    return { ...known, operation: 'embeddings', streaming: 'never' };
  if (action === 'generateContent')
    return { ...known, operation: 'generate_content', streaming: 'never' };
  if (action !== 'streamGenerateContent') return undefined;
  const streaming = new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'json-array';
  return { ...known, operation: 'generate_content', streaming };
}

function guessDialect(path: string, headers: IncomingHttpHeaders): Dialect {
  if (headers['anthropic-version'] !== undefined) return 'anthropic';
  return headers['x-goog-api-key'] !== undefined || path.startsWith('/v1beta')
    ? 'gemini'
    : 'openai';
}

function build(provider: string, target: Target, path: string, query: string): Route {
  const key = query === '' ? null : new URLSearchParams(query).get('key');
  return { pathModel: undefined, ...target, provider, path, queryKey: key ?? undefined };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
