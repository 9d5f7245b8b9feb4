// Reads the output limit that a request states: the maximum under each format's field names, times the number of
// requested choices. The caller peeks LIMIT_FIELDS together with its own fields, so that the body is scanned once. A value
// that is unreadable here but perhaps not for a provider is a problem that names the field: the output could exceed the
// reservation.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { type JsonSpan, peekFields, readInteger, readString } from './peek-fields.ts';
import { bytesEqual, OPEN_BRACE } from './scan.ts';

/** Fields that make a provider continue a stored conversation. */
const STORED: readonly string[] = ['previous_response_id', 'conversation'];

/** The top-level fields to peek at. */
export const LIMIT_FIELDS: Readonly<Record<ProviderFormat, readonly string[]>> = {
  anthropic: ['max_tokens', 'tools'],
  openai: ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'n', 'tools', ...STORED],
  // Google's parser also accepts the snake_case names of its protocol definitions.
  gemini: ['generationConfig', 'generation_config', 'tools'],
};

export type StatedLimits = {
  readonly ok: true;
  /** Per choice; undefined when the request states none. */
  readonly maxOutputTokens: number | undefined;
  /** The number of requested choices. */
  readonly answers: number;
  /** Providers add instructions of their own to a request with tools. */
  readonly hasTools: boolean;
  /** True when the request may ask for the one-hour cache, which costs more to write. */
  readonly mayCacheForAnHour: boolean;
  /** False when every message is plain text: such a request asks for no cache and refers to no file or URL. */
  readonly hasTypedParts: boolean;
  /** True when the request continues a conversation that the provider stores. */
  readonly readsStored: boolean;
};

export type LimitProblem = { readonly ok: false; readonly field: string };

export function readLimits(
  format: ProviderFormat,
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
): StatedLimits | LimitProblem {
  const stated: Stated = { maxOutputTokens: undefined, answers: 1 };
  const problem =
    format === 'gemini'
      ? readConfigs(body, fields, stated)
      : readNames(body, fields, stated, MAXIMUM_NAMES, 'n');
  if (problem !== undefined) return { ok: false, field: problem };
  const hasTypedParts = format === 'gemini' || body.includes(TYPE);
  return {
    ok: true,
    maxOutputTokens: stated.maxOutputTokens,
    answers: stated.answers,
    hasTools: fields.has('tools'),
    mayCacheForAnHour: format === 'anthropic' && hasTypedParts && body.includes(ONE_HOUR),
    hasTypedParts,
    readsStored: STORED.some((name) => {
      const span = fields.get(name);
      return span !== undefined && !isNull(body, span);
    }),
  };
}

type Stated = { maxOutputTokens: number | undefined; answers: number };

const MAXIMUM_NAMES = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
const GEMINI_NAMES = ['maxOutputTokens', 'max_output_tokens', 'candidateCount', 'candidate_count'];
const ONE_HOUR = Buffer.from('"1h"');
const TYPE = Buffer.from('"type"');

/** Returns the name of the field that cannot be read. */
function readConfigs(
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
  stated: Stated,
): string | undefined {
  for (const name of ['generationConfig', 'generation_config']) {
    const span = fields.get(name);
    if (!span || isNull(body, span)) continue;
    if (body[span.start] !== OPEN_BRACE) return name;
    const config = body.subarray(span.start, span.end);
    const peeked = peekFields(config, GEMINI_NAMES);
    if (!peeked.ok) return name;
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
  answers: string,
): string | undefined {
  for (const name of maxima) {
    const span = fields.get(name);
    if (!span || isNull(body, span)) continue;
    const value = readCount(body, span);
    if (value === undefined) return name;
    stated.maxOutputTokens = Math.max(stated.maxOutputTokens ?? 0, value);
  }
  const span = fields.get(answers);
  if (!span || isNull(body, span)) return undefined;
  const value = readCount(body, span);
  if (value === undefined) return answers;
  stated.answers = Math.max(stated.answers, value);
  return undefined;
}

/** Lenient parsers accept numbers in quotes, so they count here too. */
function readCount(body: Buffer, span: JsonSpan): number | undefined {
  const value = readInteger(body, span) ?? digits(readString(body, span));
  return value !== undefined && value >= 0 ? value : undefined;
}

function digits(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

function isNull(body: Buffer, span: JsonSpan): boolean {
  return bytesEqual(body, span.start, span.end, 'null');
}
