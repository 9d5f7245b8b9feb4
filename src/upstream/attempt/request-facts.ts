// The facts of a request that decide how much of its refusal concerns all organisations: its text, which a provider may quote,
// and the tokens that a provider counts for it. Computed for refused requests only, and there on demand. Pure.

import { callerTextOf } from '../../errors/mapping/lesson/caller-text.ts';
import type { LessonContext } from '../../errors/mapping/lesson/lesson.ts';
import type { AttemptCall } from './attempt-call.ts';

export function requestFacts(
  call: Pick<AttemptCall, 'path' | 'headers' | 'body'>,
): Required<Pick<LessonContext, 'callerText' | 'requestTokens' | 'isLongContext'>> {
  return {
    callerText: callerTextOf(call),
    requestTokens: () => requestTokensOf(call.body),
    isLongContext: mayBeLong(call.headers) && requestTokensOf(call.body) > LONG_CONTEXT_TOKENS,
  };
}

/** By the body's bytes alone, because it is read for every answer. No token is shorter than a byte. */
export function isLongContext({ headers, body }: Pick<AttemptCall, 'headers' | 'body'>): boolean {
  return body.length > LONG_CONTEXT_TOKENS && mayBeLong(headers);
}

/** Anthropic has limits of their own for requests of more than 200,000 tokens under this beta. */
function mayBeLong(headers: readonly string[]): boolean {
  const at = headers.indexOf('anthropic-beta');
  return at >= 0 && headers[at + 1]?.includes('context-1m') === true;
}

const LONG_CONTEXT_TOKENS = 200_000;

/** A name within a text is escaped and does not match; one within a schema may, and makes the estimate larger. */
const MAX_OUTPUT = /"max_?(?:completion_?|output_?)?tokens"\s{0,8}:\s{0,8}(\d{1,9})/gi;
const ANSWERS = /"(?:n|candidate_?count)"\s{0,8}:\s{0,8}(\d{1,3})\b/gi;
/** An image or a document that the provider fetches. */
const LINKED = /"(?:url|image_url|file_url|file_?uri)"\s{0,8}:\s{0,8}"(?:https?|gs|s3):/i;

/**
 * The input at a token per byte, and the stated maximum of the output. Rare characters have as many tokens as bytes: at the
 * density of English a request of them would seem small, and its refusal would pass for a used-up limit. Linked media have any
 * number of tokens.
 */
export function requestTokensOf(body: Buffer): number {
  const text = withoutEscapes(body.toString('latin1'));
  if (LINKED.test(text)) return Number.POSITIVE_INFINITY;
  return body.length + largest(text, MAX_OUTPUT) * Math.max(1, largest(text, ANSWERS));
}

function largest(text: string, pattern: RegExp): number {
  let found = 0;
  for (const [, digits] of text.matchAll(pattern)) found = Math.max(found, Number(digits));
  return found;
}

/** A provider reads an escaped name, such as `max\u005ftokens`, like the plain one. */
function withoutEscapes(json: string): string {
  if (!json.includes('\\u00')) return json;
  return json.replaceAll(/\\u00([2-7][\da-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
