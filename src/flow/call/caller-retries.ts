// How often the gateway retries for a caller that retries as well: both together must not multiply the calls of a failing
// provider.
//
//   caller                                                    retries by the gateway
//   repeats a failed request                                  none: one attempt
//   an agent with a retry loop of its own                     none: it does the retrying
//   an SDK that announces its retries, first attempt          as many as the SDK makes by default, with short delays
//   an SDK that makes a single attempt                        one, within seconds: its user waits for an error
//   any other caller                                          as the retry rules say
//
// A repeat is announced by `x-stainless-retry-count`, or has the same bytes as a request of the same key whose retries were
// used up within the last two minutes. The digests of such requests are kept in bounded memory and consulted only after a
// failure, so that a successful call costs nothing.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import type { RetryBounds } from '../../resilience/retry-policy.ts';

export type RetryingCaller = {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: Buffer;
  readonly principal: { readonly keyId: string };
};

export type CallerRetries = {
  /** The bounds of one request over all its targets. */
  boundsOf(caller: RetryingCaller): RetryBounds;
  /** The request failed after `retries` retries. If there were any, or it was a repeat, its next copy is a repeat. */
  failed(caller: RetryingCaller, retries: number): void;
};

const REPEAT_MS = 120_000;
const MAX_REMEMBERED = 10_000;
const NONE: RetryBounds = Object.freeze({ maxRetries: 0 });
const UNBOUNDED: RetryBounds = Object.freeze({});
/**
 * The default of the SDKs that send `x-stainless-retry-count`. Alone they give up within two seconds; the backoff of an
 * overload would keep their users four times as long.
 */
const AS_THE_SDK: RetryBounds = Object.freeze({ maxRetries: 2, maxBaseMs: 1000 });
/** Enough to recover from a transient failure; a lasting one is reported about as soon as without the gateway. */
const ONE_WITHIN_SECONDS: RetryBounds = Object.freeze({
  maxRetries: 1,
  maxWaitMs: 2500,
  maxBaseMs: 1000,
});

/** Clients that retry a failed request up to ten times without announcing it in a header. */
const AGENTS =
  /^(claude-cli|codex|geminicli|gemini-cli|opencode|qwencode|cline|aider|ai-sdk|ai)[/_\s-]/i;
const AI_SDK = ' ai-sdk/';
/** SDKs that report the first failure unless configured otherwise. */
const SINGLE_ATTEMPT_SDKS = /^(google-genai-sdk|litellm)\//i;

export function createCallerRetries(clock: Pick<Clock, 'monotonic'>): CallerRetries {
  const failed = new FailedRequests(clock);
  return {
    boundsOf(caller) {
      const { 'x-stainless-retry-count': count, 'user-agent': client = '' } = caller.headers;
      if (Number(count ?? 0) > 0 || isRetryingAgent(client) || failed.has(caller)) return NONE;
      if (count !== undefined) return AS_THE_SDK;
      return SINGLE_ATTEMPT_SDKS.test(client) ? ONE_WITHIN_SECONDS : UNBOUNDED;
    },
    failed(caller, retries) {
      if (retries > 0 || failed.has(caller)) failed.add(caller);
    },
  };
}

export function isRetryingAgent(userAgent: string): boolean {
  return AGENTS.test(userAgent) || userAgent.includes(AI_SDK);
}

/** Digests of failed requests, oldest first. */
class FailedRequests {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #expiresAtMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  has(caller: RetryingCaller): boolean {
    this.#forgetExpired();
    return this.#expiresAtMs.size > 0 && this.#expiresAtMs.has(digestOf(caller));
  }

  add(caller: RetryingCaller): void {
    const digest = digestOf(caller);
    // Deleted first: a map keeps the position of an existing entry.
    this.#expiresAtMs.delete(digest);
    this.#expiresAtMs.set(digest, this.#clock.monotonic() + REPEAT_MS);
    this.#forgetExpired();
  }

  #forgetExpired(): void {
    const now = this.#clock.monotonic();
    for (const [digest, expiresAtMs] of this.#expiresAtMs) {
      if (expiresAtMs > now && this.#expiresAtMs.size <= MAX_REMEMBERED) return;
      this.#expiresAtMs.delete(digest);
    }
  }
}

function digestOf({ principal, url, body }: RetryingCaller): string {
  return createHash('sha256').update(`${principal.keyId}\n${url}\n`).update(body).digest('base64');
}
