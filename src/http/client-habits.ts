// Habits of clients that make a user wait for an error, and the answers that prevent it.
//
//   sleeps on `retry-after`, also where `x-should-retry` forbids a retry: Codex for the whole delay of a 503, LlamaIndex up to
//   120 s, twice, on a 429. Requests of LlamaIndex look like those of OpenAI's Python SDK, which obeys `x-should-retry`.
//
//   retries every 5xx, also where `x-should-retry` forbids it: agents, for up to a minute. A failure that no retry can fix
//   is 424 for them, which no client retries and which does not blame the caller's key, as 401 and 403 would.

import type { IncomingHttpHeaders } from 'node:http';
import type { PublicAnswer } from '../errors/public-answer.ts';
import { type WireFormat, wireStatus } from '../errors/wire-shape.ts';
import { isRetryingAgent } from '../flow/call/caller-retries.ts';

const SLEEPING_CLIENTS = /^(?:codex|OpenAI\/Python )/i;
const FAILED_DEPENDENCY = 424;

export function sleepsOnRetryAfter({ 'user-agent': client = '' }: IncomingHttpHeaders): boolean {
  return SLEEPING_CLIENTS.test(client);
}

/** The HTTP status for this client. */
export function statusFor(
  { 'user-agent': client = '' }: IncomingHttpHeaders,
  format: WireFormat,
  answer: PublicAnswer,
): number {
  const status = wireStatus(format, answer);
  const isFinal = status >= 500 && !answer.error.retryable;
  return isFinal && isRetryingAgent(client) ? FAILED_DEPENDENCY : status;
}
