// Headers that cross the gateway. To the provider: an allow-list of the caller's headers and the provider credential; the
// caller's key, cookies, addresses and unknown headers are dropped. To the caller: one of two fixed content types, because
// the parameters of a provider's header are arbitrary text.

import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { HOPS_HEADER } from '../hops.ts';
import type { UpstreamHeaders } from '../upstream.ts';
import { allowedBetas } from './beta-values.ts';

const USER_AGENT = 'spillway';
/** Without this header a provider may compress the response, and attempts read uncompressed bytes. */
const NO_CODING = ['accept-encoding', 'identity'] as const;

/**
 * The caller's headers that reach a provider unchanged, `anthropic-beta` by its allow-list. `anthropic-version` decides the wire
 * format, so the default applies only when it is missing.
 */
const CALLERS: Record<ProviderFormat, readonly string[]> = {
  anthropic: ['anthropic-version', 'anthropic-beta'],
  openai: ['openai-beta'],
  gemini: [],
};

/** A queued call keeps these for its job. */
export const CALLERS_HEADERS: readonly string[] = Object.values(CALLERS).flat();

const FORWARDED: Record<ProviderFormat, readonly string[]> = {
  anthropic: [...CALLERS.anthropic, HOPS_HEADER],
  openai: [...CALLERS.openai, HOPS_HEADER],
  gemini: [...CALLERS.gemini, HOPS_HEADER],
};

const NONE: ReadonlySet<string> = new Set();
const DEFAULT_ANTHROPIC_VERSION = '2023-06-01';

export function requestHeaders(
  format: ProviderFormat,
  apiKey: string,
  incoming: IncomingHttpHeaders,
  alsoAllowedBetas: ReadonlySet<string> = NONE,
): string[] {
  const headers = ['content-type', 'application/json', 'user-agent', USER_AGENT, ...NO_CODING];
  addCredential(headers, format, apiKey);
  for (const name of FORWARDED[format]) {
    const value = incoming[name];
    const sent =
      typeof value === 'string' && name === 'anthropic-beta'
        ? allowedBetas(value, alsoAllowedBetas)
        : value;
    if (typeof sent === 'string') headers.push(name, sent);
  }
  if (format === 'anthropic' && typeof incoming['anthropic-version'] !== 'string') {
    headers.push('anthropic-version', DEFAULT_ANTHROPIC_VERSION);
  }
  return headers;
}

function addCredential(headers: string[], format: ProviderFormat, apiKey: string): void {
  switch (format) {
    case 'anthropic':
      headers.push('x-api-key', apiKey);
      return;
    case 'openai':
      headers.push('authorization', `Bearer ${apiKey}`);
      return;
    case 'gemini':
      headers.push('x-goog-api-key', apiKey);
      return;
  }
}

const JSON_TYPE = 'application/json';

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  [JSON_TYPE, JSON_TYPE],
  ['text/event-stream', 'text/event-stream; charset=utf-8'],
]);

/** The content type that the caller gets for a provider's response. */
export function contentTypeOf(headers: UpstreamHeaders): string {
  const value = headers['content-type'];
  return (typeof value === 'string' && CONTENT_TYPES.get(mediaType(value))) || JSON_TYPE;
}

function mediaType(value: string): string {
  const end = value.indexOf(';');
  return end === -1 ? value : value.slice(0, end).trimEnd();
}
