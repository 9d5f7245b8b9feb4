// The provider's original failure for operators and for keys with diagnostics: status, a few headers, the
// text. Built from the cause of a SpillwayError, bounded and redacted, so that a stored copy holds no secret.
// Stacks and unlisted headers are dropped. Never part of an ordinary caller's answer.

import type { Redact } from './redact.ts';

export type RawFailure = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export const MAX_RAW_BODY = 8 * 1024;
const MAX_RAW_HEADER = 256;
const MAX_RAW_HEADERS = 24;

export function readRawFailure(cause: unknown, redact: Redact): RawFailure | undefined {
  if (cause instanceof Error) return { body: bounded(redact(describeChain(cause))) };
  if (typeof cause !== 'object' || cause === null) return undefined;
  const status = fieldOf(cause, 'status');
  const headers = chosenHeaders(fieldOf(cause, 'headers'), redact);
  const body = textOf(fieldOf(cause, 'body'));
  return {
    ...(typeof status === 'number' && { status }),
    ...(headers && { headers }),
    ...(body !== undefined && { body: bounded(redact(body)) }),
  };
}

const DEEPEST_CAUSE = 4;

/**
 * Names, codes and messages of an error and its causes. Stacks name Spillway's own files and are left out.
 */
function describeChain(error: Error): string {
  const lines: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && lines.length < DEEPEST_CAUSE) {
    const code = fieldOf(current, 'code');
    const label = typeof code === 'string' ? `${current.name} ${code}` : current.name;
    lines.push(`${label}: ${current.message}`.slice(0, MAX_RAW_BODY));
    current = current.cause;
  }
  return lines.join('\n');
}

const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'date',
  'server',
  'cf-ray',
  'via',
  'request-id',
  'x-request-id',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
]);
const SHOWN_PREFIXES = ['anthropic-ratelimit-', 'x-ratelimit-', 'ratelimit-'] as const;

function chosenHeaders(headers: unknown, redact: Redact): Record<string, string> | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const chosen = Object.entries(headers)
    .filter(([name]) => isShown(name.toLowerCase()))
    .slice(0, MAX_RAW_HEADERS)
    .map(([name, value]) => [name, redact(String(value).slice(0, MAX_RAW_HEADER))] as const);
  return chosen.length === 0 ? undefined : Object.fromEntries(chosen);
}

function isShown(name: string): boolean {
  return SHOWN_HEADERS.has(name) || SHOWN_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function textOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body.slice(0, MAX_RAW_BODY);
  if (!(body instanceof Uint8Array)) return undefined;
  return new TextDecoder().decode(body.subarray(0, MAX_RAW_BODY));
}

function bounded(text: string): string {
  return text.slice(0, MAX_RAW_BODY);
}

function fieldOf(value: object, name: string): unknown {
  return Reflect.get(value, name);
}
