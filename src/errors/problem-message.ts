// The sentence of an INVALID_REQUEST that says what is wrong with the request, with the caller's own names in it.

import type { MessageKey } from './catalogues.ts';
import type { ErrorParams, RequestProblem } from './codes.ts';
import { isRightToLeft, type Locale } from './locale.ts';

export type ProblemMessage = {
  readonly key: MessageKey;
  readonly family: 'INVALID_REQUEST';
  readonly args: Readonly<Record<string, string | number>>;
};

/** Undefined if the parameters that the sentence needs are missing. */
export function problemMessage(params: ErrorParams, locale: Locale): ProblemMessage | undefined {
  const { problem } = params;
  const names = problem === undefined ? undefined : PROBLEM_ARGUMENTS[problem];
  if (problem === undefined || !names) return undefined;
  const args: Record<string, string | number> = {};
  for (const name of names) {
    const value = params[name];
    if (value === undefined) return undefined;
    args[name] = typeof value === 'string' ? isolated(value, locale) : value;
  }
  return { key: `INVALID_REQUEST.${problem}`, family: 'INVALID_REQUEST', args };
}

const PROBLEM_ARGUMENTS = {
  unknown_model: ['model'],
  unpriced_model: ['model'],
  other_format: ['model', 'endpoint'],
  no_credential: ['model'],
  malformed_json: ['line', 'column'],
  empty_body: [],
  unsupported_encoding: [],
  malformed_encoding: [],
  missing: ['field'],
  wrong_type: ['field'],
  duplicate_field: ['field'],
  not_supported: ['field'],
  unpriced_field: ['field'],
  stored_object: ['field'],
  too_long: ['field'],
  too_deep: [],
  wrong_method: ['path', 'method', 'allow'],
  no_websocket: [],
} as const satisfies Record<RequestProblem, readonly (keyof ErrorParams)[]>;

// A field name is read left to right even inside a right-to-left sentence.
export function isolated(field: string, locale: Locale): string {
  return isRightToLeft(locale) ? `\u2066${field}\u2069` : field;
}
