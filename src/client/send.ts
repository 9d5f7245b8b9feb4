// Sends a request to the application's own server and reads its answer. A failure that may be retried is retried after the
// time that the answer states, else after a growing delay with jitter; a longer wait than `maxWaitMs` is the user's decision
// and returned as the failure. Retries of a POST share one idempotency key, so that a lost answer is not paid twice.

import { type Answer, type ReadOptions, readAnswer } from './answer.ts';
import { now, random } from './browser-clock.ts';
import { waitUntil } from './countdown.ts';
import { connectionLost, type Failure } from './failure.ts';

/** The options that all requests of the client share. */
export type ClientOptions = Pick<ReadOptions, 'base' | 'sentence'> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof fetch | undefined;
};

/** The options of `send`. */
export type SendOptions = ClientOptions & {
  /** POST with a body, else GET. */
  readonly method?: string;
  /** Queue the request as a job instead of answering it now (`Prefer: respond-async`). */
  readonly queue?: boolean;
  /** The number of automatic repeats; 2 by default. */
  readonly retries?: number | undefined;
  /** The longest automatic wait before a repeat; 60 s by default. */
  readonly maxWaitMs?: number;
  /** The idempotency key of a POST; by default each call of `send` makes one. */
  readonly idempotencyKey?: string;
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void;
};

/** A repeat that `send` is about to wait for. */
export type Retry = {
  readonly failure: Failure;
  /** This device's time of the repeat. */
  readonly at: number;
  /** 1 for the first repeat. */
  readonly attempt: number;
};

const DEFAULT_RETRIES = 2;
const MAX_WAIT_MS = 60_000;
const JITTER_MS = 250;

/** Rejects only when `signal` is aborted. */
export async function send<T = unknown>(
  path: string,
  body?: unknown,
  options: SendOptions = {},
): Promise<Answer<T>> {
  const { base = '', retries = DEFAULT_RETRIES, maxWaitMs = MAX_WAIT_MS, signal } = options;
  const init = requestInit(body, options);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendOnce<T>(base + path, init, options);
    if (answer.kind !== 'failed') return answer;
    const { failure } = answer;
    const at = (failure.retryAt ?? now() + backoffMs(attempt)) + random() * JITTER_MS;
    if (!failure.autoRetry || attempt > retries || at - now() > maxWaitMs) return answer;
    options.onRetry?.({ failure, at, attempt });
    await waitUntil(at, { signal });
  }
}

/** 1 s, 2 s, 4 s … up to 30 s, each a quarter more or less. */
export function backoffMs(attempt: number): number {
  return Math.min(30_000, 500 * 2 ** attempt) * (0.75 + random() / 2);
}

/** The language and time zone of the reader's sentences; the browser itself sends `accept-language`. */
export function requestHeaders(options: ClientOptions): Record<string, string> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const headers = { ...(timeZone && { 'x-time-zone': timeZone }), ...options.headers };
  if (Object.values(headers).some((value) => /\bsk-spill-/.test(value)))
    throw new TypeError('Spillway keys belong on your server');
  return headers;
}

function requestInit(body: unknown, options: SendOptions): RequestInit {
  const { method = body === undefined ? 'GET' : 'POST', queue, signal } = options;
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'POST' && {
      'idempotency-key': options.idempotencyKey ?? `${now()}-${random()}`,
    }),
    ...(queue === true && { prefer: 'respond-async' }),
    ...requestHeaders(options),
  };
  return { method, headers, body: JSON.stringify(body), signal };
}

async function sendOnce<T>(
  url: string,
  init: RequestInit,
  options: SendOptions,
): Promise<Answer<T>> {
  const { fetch: request = fetch, base, sentence, signal } = options;
  try {
    const response = await request(url, init);
    return await readAnswer<T>(response, { base, sentence });
  } catch {
    signal?.throwIfAborted();
    return { kind: 'failed', failure: connectionLost({ sentence }) };
  }
}
