// What the provider is sent besides the body: an allow-list of the caller's headers and our credential.
// The caller's own key, cookies, addresses and everything unknown stay here.

import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderFormat } from '../../kernel/provider-format.ts';

const USER_AGENT = 'spillway';
/** Who does not say so may be sent any coding, and bytes are read here as they are. */
const NO_CODING = ['accept-encoding', 'identity'] as const;

/** Passed on as they came; `anthropic-version` decides the wire format, so it is never invented when given. */
const FORWARDED: Record<ProviderFormat, readonly string[]> = {
  anthropic: ['anthropic-version', 'anthropic-beta'],
  openai: ['openai-beta'],
  gemini: [],
};

const DEFAULT_ANTHROPIC_VERSION = '2023-06-01';

export function requestHeaders(
  format: ProviderFormat,
  apiKey: string,
  incoming: IncomingHttpHeaders,
): string[] {
  const headers = ['content-type', 'application/json', 'user-agent', USER_AGENT, ...NO_CODING];
  addCredential(headers, format, apiKey);
  for (const name of FORWARDED[format]) {
    const value = incoming[name];
    if (typeof value === 'string') headers.push(name, value);
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
