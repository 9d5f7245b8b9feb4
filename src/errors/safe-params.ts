// Filters the parameters of a public answer: only parameters that the table allows for the code, each checked for
// type and bounds. All others are dropped silently.

import { ERROR_TABLE, type ErrorCode, type ErrorParams, REQUEST_PROBLEMS } from './codes.ts';
import { isInstant } from './reset-timing.ts';

export function safeParams(code: ErrorCode, raw: unknown): ErrorParams {
  if (typeof raw !== 'object' || raw === null) return {};
  const safe: Record<string, string | number> = {};
  for (const name of ERROR_TABLE[code].params) {
    const value = ownValue(raw, name);
    if (PARAM_CHECKS[name](value)) safe[name] = value as string | number;
  }
  return safe;
}

/**
 * A path in the caller's own request, such as `messages[0].content`: short, and too restricted to hold prose.
 */
function isFieldName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 64 && /^[A-Za-z_][\w.[\]-]*$/.test(value);
}

const PARAM_CHECKS = {
  resetTime: isInstant,
  retryAfterMs: isDuration,
  scope: oneOf('organization', 'system', 'provider'),
  reason: oneOf('overloaded', 'error', 'circuit_open', 'credit'),
  phase: oneOf('connect', 'first_content', 'idle', 'total', 'lost'),
  spent: isAmount,
  limit: isAmount,
  remaining: isAmount,
  reserved: isAmount,
  field: isFieldName,
  problem: oneOf(...REQUEST_PROBLEMS),
  model: isModelName,
  endpoint: isEndpoint,
  line: isPosition,
  column: isPosition,
  path: isPath,
  method: isMethod,
  allow: isMethodList,
  conflict: oneOf('taken', 'unfinished_jobs', 'permanent'),
} as const satisfies Record<keyof ErrorParams, (value: unknown) => boolean>;

/** A model's name as callers write it: printable ASCII without spaces, so that it cannot hold prose. */
function isModelName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w./:@+-]{1,128}$/.test(value);
}

const MAX_DURATION_MS = 10 * 366 * 86_400_000;

export function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_DURATION_MS;
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isPosition(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function isEndpoint(value: unknown): boolean {
  return typeof value === 'string' && /^\/v1[\w/{}:-]{0,60}$/.test(value);
}

/** A request's path without escapes, so that it cannot hold prose. */
function isPath(value: unknown): boolean {
  return typeof value === 'string' && /^\/[\w./:@+~{}-]{0,200}$/.test(value);
}

function isMethod(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Z-]{1,20}$/.test(value);
}

function isMethodList(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Z]{1,10}(?:, [A-Z]{1,10}){0,8}$/.test(value);
}

function oneOf(...words: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && words.includes(value);
}

// A getter that throws counts as a missing value.
function ownValue(record: object, name: string): unknown {
  try {
    return Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}
