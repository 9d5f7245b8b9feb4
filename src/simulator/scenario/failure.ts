// A failure that the provider reports itself, independent of the dialect, and its rendered form: a refusal
// with status, headers and body.

import type { Excess } from './rate-limit.ts';
import type { StatedFault } from './scenario.ts';

export type Failure = {
  readonly kind: StatedFault;
  readonly status: number | undefined;
  readonly message: string | undefined;
  /** The invalid parameter, if known. */
  readonly field?: string | undefined;
  /** A canary that is planted in message, fields and headers to detect leaks. */
  readonly secret: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly resetAt: number | undefined;
  /** The exceeded rate limit; absent for a scripted refusal. */
  readonly excess: Excess | undefined;
  readonly now: number;
  readonly model: string;
  readonly inputTokens: number;
  readonly requestId: string;
};

export type Refusal = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** The scenario's message, or the provider's usual one. */
export function messageOf(failure: Failure, usual: string): string {
  const message = failure.message ?? usual;
  return failure.secret === undefined ? message : `${message} (trace ${failure.secret})`;
}

/** Fields and headers through which careless servers leak internals. */
export function leakedFields(failure: Failure): Readonly<Record<string, string>> {
  const { secret } = failure;
  return secret === undefined
    ? {}
    : { debug: secret, stack: `Error: ${secret}\n    at serve (/srv/${secret}/app.js:1:1)` };
}

export function leakedHeaders(secret: string | undefined): Readonly<Record<string, string>> {
  if (secret === undefined) return {};
  return { 'x-debug-trace': secret, 'x-upstream-host': secret, 'set-cookie': `session=${secret}` };
}

/** The stated delay in milliseconds from now, if any. */
export function delayOf(failure: Failure): number | undefined {
  if (failure.retryAfterMs !== undefined) return failure.retryAfterMs;
  return failure.resetAt === undefined ? undefined : Math.max(0, failure.resetAt - failure.now);
}

/** A duration as Go prints it: 644ms, 9.816s, 1m26.4s, 8h44m7s. */
export function goDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${Math.ceil(ms)}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = Math.ceil(ms % 60_000) / 1000;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
