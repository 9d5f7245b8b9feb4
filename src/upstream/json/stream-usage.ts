// Chat Completions report the usage of a stream only on request. This module finds the edit of a request that asks for
// it, so that a stream is charged by its usage and not by an estimate. All other bytes of the request stay unchanged. Pure.

import type { BodyEdit } from './edit-body.ts';
import { NameTable } from './name-table.ts';
import { given } from './output-limits.ts';
import { type JsonSpan, type PeekProblem, peekFields, readBoolean } from './peek-fields.ts';
import { CLOSE_BRACE, OPEN_BRACE, skipSpace } from './scan.ts';

const OPTIONS = '"stream_options":{"include_usage":true}';
const IS_WANTED = '"include_usage":true';

export type StreamUsageEdit =
  /** The request asks for the usage itself. */
  | { readonly kind: 'asked' }
  | { readonly kind: 'edit'; readonly edit: BodyEdit }
  | { readonly kind: 'invalid'; readonly problem: PeekProblem | 'wrong_type' };

const INCLUDE_USAGE = new NameTable(['include_usage']);

/** `span` is the position of `stream_options`. The body is an object with at least one field. */
export function askForStreamUsage(body: Buffer, span: JsonSpan | undefined): StreamUsageEdit {
  if (!span) return insertion(skipSpace(body, 0) + 1, `${OPTIONS},`);
  if (!given(body, span)) return replacement(span, `{${IS_WANTED}}`);
  if (body[span.start] !== OPEN_BRACE) return { kind: 'invalid', problem: 'wrong_type' };
  const options = body.subarray(span.start, span.end);
  const peeked = peekFields(options, INCLUDE_USAGE, true);
  if (!peeked.ok) return { kind: 'invalid', problem: peeked.problem };
  const wanted = peeked.fields.get('include_usage');
  if (!wanted) return insertIntoOptions(body, span);
  if (readBoolean(options, wanted) === true) return { kind: 'asked' };
  if (given(options, wanted) && readBoolean(options, wanted) === undefined)
    return { kind: 'invalid', problem: 'wrong_type' };
  const { start, end } = wanted;
  return replacement({ start: span.start + start, end: span.start + end }, 'true');
}

function insertIntoOptions(body: Buffer, span: JsonSpan): StreamUsageEdit {
  const at = skipSpace(body, span.start + 1);
  return insertion(at, body[at] === CLOSE_BRACE ? IS_WANTED : `${IS_WANTED},`);
}

function insertion(at: number, text: string): StreamUsageEdit {
  return replacement({ start: at, end: at }, text);
}

function replacement({ start, end }: JsonSpan, text: string): StreamUsageEdit {
  return { kind: 'edit', edit: { start, end, text } };
}
