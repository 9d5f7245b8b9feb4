// Clients that sleep for `retry-after` in silence, also where `x-should-retry` forbids a retry: a user sees nothing for minutes
// where the provider's own error would have appeared within seconds. Codex sleeps for the whole delay of a 503. LlamaIndex
// sleeps up to 120 s, twice, on a 429; its requests are those of OpenAI's Python SDK, which itself obeys `x-should-retry`.

import type { IncomingHttpHeaders } from 'node:http';

const SLEEPING_CLIENTS = /^(?:codex|OpenAI\/Python )/i;

export function sleepsOnRetryAfter({ 'user-agent': client = '' }: IncomingHttpHeaders): boolean {
  return SLEEPING_CLIENTS.test(client);
}
