// The wire format of an error on a path that no handler serves: the format of the client that sent the request, so that its
// SDK raises its own class and shows the sentence. The path decides first, then the headers that only one vendor's
// clients send.

import type { IncomingHttpHeaders } from 'node:http';
import type { WireFormat } from '../../errors/wire-shape.ts';

/** `isOwn`: whether a path belongs to an endpoint of Spillway itself, such as `/v1/jobs`. */
export function formatOfPath(
  path: string,
  headers: IncomingHttpHeaders,
  isOwn: (path: string) => boolean,
): WireFormat {
  if (isOwn(path)) return 'spillway';
  const byPath = PATH_FORMATS.find(([pattern]) => pattern.test(path))?.[1];
  if (byPath) return byPath;
  if (headers['anthropic-version'] !== undefined) return 'anthropic';
  if (GOOGLE_HEADERS.some((name) => headers[name] !== undefined)) return 'gemini';
  return OPENAI_PATH.test(path) || isOpenAiClient(headers) ? 'openai' : 'spillway';
}

const PATH_FORMATS: readonly (readonly [RegExp, WireFormat])[] = [
  [/^\/anthropic(?:\/|$)/, 'anthropic'],
  [/^\/openai(?:\/|$)/, 'openai'],
  [/^\/gemini(?:\/|$)/, 'gemini'],
  [/^\/(?:v1beta|v1alpha)(?:\/|$)/, 'gemini'],
  // Google's custom methods: `/v1/models/{model}:generateContent`.
  [/^(?:\/v1)?\/models\/[^:]+:[a-z]+[A-Z]/, 'gemini'],
  [/^(?:\/v1)?\/messages(?:\/|$)/, 'anthropic'],
];

const GOOGLE_HEADERS = ['x-goog-api-key', 'x-goog-api-client'] as const;
const OPENAI_PATH = /^\/(?:v1|chat|responses|embeddings|models|completions)(?:\/|$)/;

/** With a bare origin as its base URL the SDK requests paths such as `/files`; its user agent is `OpenAI/JS 7.0.0`. */
function isOpenAiClient(headers: IncomingHttpHeaders): boolean {
  return headers['user-agent']?.startsWith('OpenAI/') === true;
}
