// Reads what a request states about its output: the maximum under the operation's own field names, times the number of
// requested choices. A field of another operation counts for nothing, because the provider ignores it. The caller peeks
// LIMIT_FIELDS together with its own fields, so that the body is scanned once. A value that is unreadable here but perhaps
// not for a provider is a problem that names the field: the output could exceed the reservation.

import type { NativeRoute } from '../native-route.ts';
import { NameTable } from './name-table.ts';
import { type JsonSpan, peekFields, readCount } from './peek-fields.ts';
import { BACKSLASH, bytesEqual, OPEN_BRACE, OPEN_BRACKET, skipSpace } from './scan.ts';

/** The wire format and the endpoint of a request. */
export type RequestKind = Pick<NativeRoute, 'format' | 'operation'>;

/** Fields of the Responses API, and of Messages, that make a provider read what it has stored: a conversation, or a prompt. */
const STORED_RESPONSES = ['previous_response_id', 'conversation', 'prompt'];
const STORED_MESSAGES = ['thread'];
export const STORED: readonly string[] = [...STORED_RESPONSES, ...STORED_MESSAGES];

type Names = {
  readonly maxima: readonly string[];
  readonly answers?: string;
  readonly others: readonly string[];
};

const NAMES: Readonly<Partial<Record<NativeRoute['operation'], Names>>> = {
  messages: {
    maxima: ['max_tokens'],
    others: ['tools', 'thinking', 'context_management', 'compaction', ...STORED_MESSAGES],
  },
  chat: {
    maxima: ['max_tokens', 'max_completion_tokens'],
    answers: 'n',
    others: ['tools', 'prediction'],
  },
  responses: {
    maxima: ['max_output_tokens'],
    others: ['tools', 'context_management', ...STORED_RESPONSES],
  },
  compact: { maxima: [], others: STORED_RESPONSES },
  // Gemini's requests have no field of these names.
  count_tokens: { maxima: [], others: STORED },
  // Google's parser also accepts the snake_case names of its protocol definitions.
  generate: { maxima: [], others: ['generationConfig', 'generation_config', 'tools'] },
};
const NO_NAMES: Names = { maxima: [], others: [] };

/** The top-level fields to peek at. */
export function limitFields(operation: RequestKind['operation']): readonly string[] {
  const { maxima, answers, others } = NAMES[operation] ?? NO_NAMES;
  return answers === undefined ? [...maxima, ...others] : [...maxima, answers, ...others];
}

export type StatedLimits = {
  /** Per choice; undefined when the request states none, and 0 states none. */
  readonly maxOutputTokens: number | undefined;
  /** Of a chat: without `max_completion_tokens`, which some compatible providers ignore. */
  readonly oldMaximum: number | undefined;
  /** The number of requested choices. */
  readonly answers: number;
  /** Predicted output that the answer does not contain is charged as output, beside the maximum. */
  readonly predictedBytes: number;
  /** Providers add instructions of their own to a request with tools. */
  readonly hasTools: boolean;
  /** True when the request continues a conversation that the provider stores. */
  readonly readsStored: boolean;
  /** True when the provider may summarise the context before it answers: it writes the summary and reads it again. */
  readonly mayCompact: boolean;
};

/** The field that cannot be read. `isTwice`: it is given under both of its names. */
export type LimitProblem = { readonly problem: string; readonly isTwice?: boolean };

export function readLimits(
  kind: RequestKind,
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
): StatedLimits | LimitProblem {
  const stated: Stated = { maxOutputTokens: undefined, answers: 1 };
  const { maxima, answers } = NAMES[kind.operation] ?? NO_NAMES;
  const problem =
    kind.operation === 'generate'
      ? readConfigs(body, fields, stated)
      : readNames(body, fields, stated, maxima, answers);
  if (typeof problem === 'object') return problem;
  if (problem !== undefined) return { problem };
  const thoughts = thinkingBudget(body, fields);
  if (thoughts === undefined) return { problem: 'thinking.budget_tokens' };
  if (stated.maxOutputTokens !== undefined && thoughts >= stated.maxOutputTokens)
    stated.maxOutputTokens += thoughts;
  const prediction = given(body, fields.get('prediction'));
  return {
    maxOutputTokens: stated.maxOutputTokens,
    oldMaximum: fields.has('max_completion_tokens')
      ? readCount(body, fields.get('max_tokens')) || undefined
      : stated.maxOutputTokens,
    answers: stated.answers,
    predictedBytes: prediction ? prediction.end - prediction.start : 0,
    hasTools: fields.has('tools'),
    readsStored: STORED.some((name) => given(body, fields.get(name)) !== undefined),
    mayCompact:
      given(body, fields.get('compaction')) !== undefined ||
      mayCompact(body, fields.get('context_management')),
  };
}

/** By the word, or an escape that may spell it. */
function mayCompact(body: Buffer, span: JsonSpan | undefined): boolean {
  const stated = given(body, span);
  if (!stated) return false;
  const management = body.subarray(stated.start, stated.end);
  return management.includes('compact') || management.includes(BACKSLASH);
}

const BUDGET = new NameTable(['budget_tokens']);

/**
 * The budget of Anthropic's thinking, 0 for none. It is a part of the maximum, and may exceed it where the model thinks between its
 * uses of tools: then it comes on top. Undefined for a budget that cannot be read.
 */
function thinkingBudget(body: Buffer, fields: ReadonlyMap<string, JsonSpan>): number | undefined {
  const span = fields.get('thinking');
  if (!span || body[span.start] !== OPEN_BRACE) return 0;
  const thinking = body.subarray(span.start, span.end);
  const peeked = peekFields(thinking, BUDGET, true);
  const budget = peeked.ok ? given(thinking, peeked.fields.get('budget_tokens')) : undefined;
  if (!budget) return peeked.ok ? 0 : undefined;
  return readCount(thinking, budget);
}

/** The span of a field that is neither absent nor null. */
export function given(body: Buffer, span: JsonSpan | undefined): JsonSpan | undefined {
  return span && !bytesEqual(body, span.start, span.end, 'null') ? span : undefined;
}

/** The span of a field that is neither absent, nor null, nor an empty list, which SDKs send for none. */
export function listed(body: Buffer, span: JsonSpan | undefined): JsonSpan | undefined {
  const stated = given(body, span);
  const isEmpty =
    stated &&
    body[stated.start] === OPEN_BRACKET &&
    skipSpace(body, stated.start + 1) === stated.end - 1;
  return isEmpty ? undefined : stated;
}

type Stated = { maxOutputTokens: number | undefined; answers: number };

const GEMINI_NAMES = new NameTable([
  'maxOutputTokens',
  'max_output_tokens',
  'candidateCount',
  'candidate_count',
]);

/** A parser takes one of both names, or neither where the other one is null. */
const GEMINI_SPELLINGS = [
  ['maxOutputTokens', 'max_output_tokens'],
  ['candidateCount', 'candidate_count'],
] as const;

/** Returns the name of the field that cannot be read. */
function readConfigs(
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
  stated: Stated,
): string | LimitProblem | undefined {
  if (fields.has('generationConfig') && fields.has('generation_config'))
    return { problem: 'generation_config', isTwice: true };
  for (const name of ['generationConfig', 'generation_config']) {
    const span = given(body, fields.get(name));
    if (!span) continue;
    if (body[span.start] !== OPEN_BRACE) return name;
    const config = body.subarray(span.start, span.end);
    const peeked = peekFields(config, GEMINI_NAMES, true);
    if (!peeked.ok) return name;
    const twice = GEMINI_SPELLINGS.find((names) => names.every((each) => peeked.fields.has(each)));
    if (twice) return { problem: `${name}.${twice[1]}`, isTwice: true };
    const problem =
      readNames(config, peeked.fields, stated, ['maxOutputTokens'], 'candidateCount') ??
      readNames(config, peeked.fields, stated, ['max_output_tokens'], 'candidate_count');
    if (problem !== undefined) return `${name}.${problem}`;
  }
  return undefined;
}

/** The largest of several maxima counts, because providers differ in which one they apply. */
function readNames(
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
  stated: Stated,
  maxima: readonly string[],
  answers: string | undefined,
): string | undefined {
  for (const name of maxima) {
    const span = given(body, fields.get(name));
    if (!span) continue;
    const value = readCount(body, span);
    if (value === undefined) return name;
    if (value > 0) stated.maxOutputTokens = Math.max(stated.maxOutputTokens ?? 0, value);
  }
  const span = answers === undefined ? undefined : given(body, fields.get(answers));
  if (!span) return undefined;
  const value = readCount(body, span);
  if (value === undefined) return answers;
  stated.answers = Math.max(stated.answers, value);
  return undefined;
}
