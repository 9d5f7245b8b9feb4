// Habits of clients that make a user wait for an error, and the answers that prevent it.
//
//   sleeps on `retry-after`, also where `x-should-retry` forbids a retry: Codex for the whole delay of a 503, LlamaIndex up to
//   120 s, twice, on a 429. Requests of LlamaIndex look like requests of OpenAI's Python SDK, which obeys `x-should-retry`.
//
//   retries every 5xx, also where `x-should-retry` forbids it: agents, for up to a minute. A failure that no retry can fix
//   is 424 for them, which no client retries and which does not blame the caller's key, as 401 and 403 would.
//
//   acts on its vendor's status or code for an overload: Anthropic's SDKs and Claude Code on 529, Codex on a code.
//
//   takes an unknown status for a lost connection: LiteLLM knows neither 402 nor 424, and aider retries its connection error
//   for a minute. A failure that no retry can fix is 400 for it, and a failing provider 500, the class that its retry
//   policies name.

import type { IncomingHttpHeaders } from 'node:http';
import type { PublicAnswer, PublicError } from '../errors/public-answer.ts';
import { type WireFormat, wireStatus } from '../errors/wire-shape.ts';
import { isRetryingAgent } from '../flow/call/caller-retries.ts';

const SLEEPING_CLIENTS = /^(?:codex|OpenAI\/Python )/i;
const KNOW_OVERLOAD = /^(?:codex|claude-cli|(?:Async)?Anthropic\/(?:JS|Python) )/i;
const LITELLM = /^litellm\//i;
const BAD_REQUEST = 400;
const PAYMENT_REQUIRED = 402;
const FAILED_DEPENDENCY = 424;
const SERVER_ERROR = 500;

export function sleepsOnRetryAfter({ 'user-agent': client = '' }: IncomingHttpHeaders): boolean {
  return SLEEPING_CLIENTS.test(client);
}

export function knowsOverload({ 'user-agent': client = '' }: IncomingHttpHeaders): boolean {
  return KNOW_OVERLOAD.test(client);
}

/** The HTTP status for this client. */
export function statusFor(
  { 'user-agent': client = '' }: IncomingHttpHeaders,
  format: WireFormat,
  answer: PublicAnswer,
): number {
  const status = wireStatus(format, answer);
  if (LITELLM.test(client)) return litellmStatus(status, answer.error);
  const isFinal = status >= 500 && !answer.error.retryable;
  return isFinal && isRetryingAgent(client) ? FAILED_DEPENDENCY : status;
}

function litellmStatus(status: number, { retryable, params }: PublicError): number {
  if (params.reason === 'error') return SERVER_ERROR;
  const isUnknown = status >= 500 || status === PAYMENT_REQUIRED;
  return isUnknown && !retryable ? BAD_REQUEST : status;
}
