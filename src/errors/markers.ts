// The vendors' words that clients act on. Agents and SDKs decide by a few words of an error whether to compact, stop,
// wait or raise a subclass; a sealed error keeps exactly these words. Everything else in it is Spillway's. A suffix
// stays English in every language, because programs read it.

import type { PublicAnswer } from './public-answer.ts';

/** The formats of the vendors. */
export type NativeFormat = 'anthropic' | 'openai' | 'gemini';

/** The fields of one format that replace Spillway's own fields or are added to them. */
export type Marker = {
  readonly status?: number;
  readonly type?: string;
  readonly code?: string;
  /** gRPC status of the Gemini format. */
  readonly grpcStatus?: string;
  /** Appended to the sentence, each in square brackets. */
  readonly suffixes?: readonly string[];
};

/** The failures on which clients act by a vendor’s own words. */
export type MarkerCase =
  | 'CONTEXT_TOO_LONG'
  | 'AI_LIMIT_REACHED'
  | 'CONTENT_POLICY'
  | 'UNKNOWN_MODEL'
  | 'BUDGET_EXCEEDED'
  | 'OVERLOADED'
  | 'CIRCUIT_OPEN';

/** The words of each vendor on which its clients act, by failure and format. */
export const MARKERS: Readonly<Record<MarkerCase, Readonly<Record<NativeFormat, Marker>>>> = {
  // Claude Code and opencode compact; LiteLLM and LangChain raise their context-window class.
  CONTEXT_TOO_LONG: {
    anthropic: { suffixes: ['prompt is too long'] },
    openai: { code: 'context_length_exceeded', suffixes: ['maximum context length exceeded'] },
    gemini: { suffixes: ['input token count exceeds the maximum number of tokens allowed'] },
  },
  // Codex and Gemini CLI stop with a sentence instead of sleeping.
  AI_LIMIT_REACHED: {
    anthropic: { type: 'rate_limit_error' },
    openai: { type: 'usage_limit_reached' },
    gemini: {},
  },
  // LiteLLM and LangChain raise their content-policy class. Claude Code stops at the whole sentence; it answers any other 400 by
  // sending the request again without one of its features after another.
  CONTENT_POLICY: {
    anthropic: { suffixes: ['Output blocked by content filtering policy', 'content policy'] },
    openai: { code: 'content_policy_violation' },
    gemini: {},
  },
  // SDKs raise their NotFound class.
  UNKNOWN_MODEL: {
    anthropic: { status: 404, type: 'not_found_error' },
    openai: { status: 404, code: 'model_not_found' },
    gemini: { status: 404, grpcStatus: 'NOT_FOUND' },
  },
  // SDKs never retry it.
  BUDGET_EXCEEDED: {
    anthropic: { type: 'billing_error' },
    openai: { type: 'insufficient_quota', code: 'insufficient_quota' },
    gemini: { grpcStatus: 'RESOURCE_EXHAUSTED' },
  },
  // Only for clients that act on it: Anthropic's SDKs raise their Overloaded class, Claude Code waits and says so, Codex
  // stops with a sentence instead of thirty requests. Other clients get Spillway's own status and code.
  OVERLOADED: {
    anthropic: { status: 529 },
    openai: { code: 'server_is_overloaded' },
    gemini: {},
  },
  CIRCUIT_OPEN: {
    anthropic: {},
    openai: { code: 'server_is_overloaded' },
    gemini: {},
  },
};

/** The marker of an answer in a format; empty if clients act on nothing but the status. */
export function markerOf(format: NativeFormat, answer: PublicAnswer): Marker {
  const found = caseOf(answer);
  return found === undefined ? NO_MARKER : MARKERS[found][format];
}

/** The sentence, with the format's suffixes after it. */
export function markedMessage({ suffixes = [] }: Marker, message: string): string {
  return [message, ...suffixes.map((suffix) => `[${suffix}]`)].join(' ');
}

const NO_MARKER: Marker = Object.freeze({});

function caseOf({ error, knowsOverload }: PublicAnswer): MarkerCase | undefined {
  const { code, params } = error;
  if (code === 'INVALID_REQUEST')
    return params.field === 'model' && !isMistyped(params.problem) ? 'UNKNOWN_MODEL' : undefined;
  if (code === 'PROVIDER_UNAVAILABLE')
    return knowsOverload ? UNAVAILABLE[params.reason ?? 'error'] : undefined;
  return code === 'CONTEXT_TOO_LONG' ||
    code === 'AI_LIMIT_REACHED' ||
    code === 'CONTENT_POLICY' ||
    code === 'BUDGET_EXCEEDED'
    ? code
    : undefined;
}

const UNAVAILABLE = {
  overloaded: 'OVERLOADED',
  circuit_open: 'CIRCUIT_OPEN',
  error: undefined,
  credit: undefined,
} as const;

const MISTYPED: ReadonlySet<string> = new Set([
  'missing',
  'wrong_type',
  'duplicate_field',
  'too_long',
]);

/** A request that names no model, or names it wrongly, is refused as such by the vendors: 400. */
function isMistyped(problem: string | undefined): boolean {
  return problem !== undefined && MISTYPED.has(problem);
}
