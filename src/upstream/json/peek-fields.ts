// Reads a few top-level fields of a JSON object from its bytes, so that a 20 MB prompt is not parsed to find its model.
// Long strings are skipped natively. Nested values are not validated: there it only follows strings and brackets, and the
// provider refuses the rest. The top level is strict: a body that another parser could read differently (a duplicate
// field, bytes after the end) is a problem. It never throws.

import type { NameTable } from './name-table.ts';
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  endOfString,
  endOfValue,
  isNumberStart,
  isPlain,
  MAX_NUMBER,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  TOO_DEEP,
  TRUNCATED,
} from './scan.ts';

/** Far more fields than any API has. Reading a body with millions of short ones blocks the process for a second. */
export const MAX_NAMES = 200_000;

/** The position of a value in its body: from `start` up to, not including, `end`. */
export type JsonSpan = { readonly start: number; readonly end: number };

/** `other_case`: the name equals a wanted one when case is ignored, which some parsers do. */
export type PeekProblem =
  | 'not_json'
  | 'not_object'
  | 'truncated'
  | 'too_deep'
  | 'too_many_fields'
  | 'duplicate_field'
  | 'other_case';

export type PeekResult =
  | { readonly ok: true; readonly fields: ReadonlyMap<string, JsonSpan> }
  | { readonly ok: false; readonly problem: PeekProblem; readonly field?: string };

/**
 * The wanted names are compared with the decoded names of the body. A wanted field that is absent is absent from
 * `fields`. With `isExact` a name that differs from a wanted one only by case is a problem: a request is read that way,
 * because a provider may read such a name as the wanted one.
 */
export function peekFields(body: Buffer, wanted: NameTable, isExact = false): PeekResult {
  const fields = new Map<string, JsonSpan>();
  let left = MAX_NAMES;
  let at = skipSpace(body, 0);
  if (body[at] !== OPEN_BRACE) return failure(notObject(body[at]));
  at = skipSpace(body, at + 1);
  if (body[at] === CLOSE_BRACE) return ending(body, at + 1, fields);
  for (;;) {
    if (body[at] !== QUOTE) return unexpected(body, at);
    if (--left < 0) return failure('too_many_fields');
    const keyEnd = endOfString(body, at + 1);
    if (keyEnd < 0) return failure('truncated');
    const name = wantedName(body, at + 1, keyEnd, wanted, isExact);
    if (name === MALFORMED_NAME) return failure('not_json');
    if (typeof name === 'object') return failure('other_case', name.otherCaseOf);
    at = skipSpace(body, keyEnd + 1);
    if (body[at] !== COLON) return unexpected(body, at);
    const start = skipSpace(body, at + 1);
    const end = endOfValue(body, start);
    if (end < 0) return failure(problemAt(end));
    if (name !== undefined) {
      if (fields.has(name)) return failure('duplicate_field', name);
      fields.set(name, { start, end });
    }
    at = skipSpace(body, end);
    if (body[at] === CLOSE_BRACE) return ending(body, at + 1, fields);
    if (body[at] !== COMMA) return unexpected(body, at);
    at = skipSpace(body, at + 1);
  }
}

/** The text of a JSON string; undefined for any other value and for a broken escape. */
export function readString(body: Buffer, span: JsonSpan | undefined): string | undefined {
  if (span === undefined || body[span.start] !== QUOTE) return undefined;
  const text = body.toString('utf8', span.start + 1, span.end - 1);
  if (!text.includes('\\')) return text;
  const value = parsed(body, span.start, span.end);
  return typeof value === 'string' ? value : undefined;
}

/** A safe integer in any notation (`1000`, `1e3`, `1000.0`: providers accept all of them). */
export function readInteger(body: Buffer, span: JsonSpan | undefined): number | undefined {
  if (span === undefined || span.end - span.start > MAX_NUMBER) return undefined;
  if (!isNumberStart(body[span.start])) return undefined;
  const value = Number(body.toString('latin1', span.start, span.end));
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Lenient parsers accept numbers in quotes, so they count here too; undefined for a negative number. */
export function readCount(body: Buffer, span: JsonSpan | undefined): number | undefined {
  const value = readInteger(body, span) ?? digits(readString(body, span));
  return value !== undefined && value >= 0 ? value : undefined;
}

function digits(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

export function readBoolean(body: Buffer, span: JsonSpan | undefined): boolean | undefined {
  if (span === undefined) return undefined;
  if (body[span.start] === LOWER_T) return true;
  return body[span.start] === LOWER_F ? false : undefined;
}

/** Parses the value's slice with JSON.parse; for small objects only. */
export function readObject(
  body: Buffer,
  span: JsonSpan | undefined,
): Record<string, unknown> | undefined {
  if (span === undefined || body[span.start] !== OPEN_BRACE) return undefined;
  const value = parsed(body, span.start, span.end);
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Parses the value's slice with JSON.parse; empty for any other value. For short lists only. */
export function readList(body: Buffer, span: JsonSpan | undefined): readonly unknown[] {
  if (span === undefined || body[span.start] !== OPEN_BRACKET) return [];
  const value = parsed(body, span.start, span.end);
  return Array.isArray(value) ? value : [];
}

const LOWER_T = 0x74;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;

const MALFORMED_NAME = Symbol('a name with a broken escape');

function notObject(first: number | undefined): PeekProblem {
  if (first === undefined) return 'truncated';
  const opensOther = first === OPEN_BRACKET || first === QUOTE || isNumberStart(first);
  const opensWord = first === LOWER_T || first === LOWER_F || first === LOWER_N;
  return opensOther || opensWord ? 'not_object' : 'not_json';
}

function ending(body: Buffer, at: number, fields: ReadonlyMap<string, JsonSpan>): PeekResult {
  return skipSpace(body, at) === body.length ? { ok: true, fields } : failure('not_json');
}

function problemAt(end: number): PeekProblem {
  if (end === TOO_DEEP) return 'too_deep';
  return end === TRUNCATED ? 'truncated' : 'not_json';
}

function unexpected(body: Buffer, at: number): PeekResult {
  return failure(at >= body.length ? 'truncated' : 'not_json');
}

function failure(problem: PeekProblem, field?: string): PeekResult {
  return field === undefined ? { ok: false, problem } : { ok: false, problem, field };
}

type OtherCase = { readonly otherCaseOf: string };

function wantedName(
  body: Buffer,
  start: number,
  end: number,
  wanted: NameTable,
  isExact: boolean,
): string | undefined | OtherCase | typeof MALFORMED_NAME {
  const found = wanted.find(body, start, end);
  if (found !== undefined) return found;
  // The longest encoding of a character is \u0041, so a longer name cannot be a wanted one.
  if (end - start > wanted.maxLength * 6) return undefined;
  if (isPlain(body, start, end))
    return isExact ? otherCase(wanted.findInAnyCase(body, start, end)) : undefined;
  const decoded = wanted.findDecoded(body, start, end);
  if (decoded === null) return MALFORMED_NAME;
  if (decoded?.isExact) return decoded.name;
  return isExact ? otherCase(decoded?.name) : undefined;
}

function otherCase(name: string | undefined): OtherCase | undefined {
  return name === undefined ? undefined : { otherCaseOf: name };
}

function parsed(body: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(body.toString('utf8', start, end));
  } catch {
    return undefined;
  }
}
