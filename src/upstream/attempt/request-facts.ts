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
    isLongContext: isLongContext(call),
  };
}

/** Anthropic has limits of their own for requests of more than 200,000 tokens under this beta. No token is shorter than a byte. */
export function isLongContext({ headers, body }: Pick<AttemptCall, 'headers' | 'body'>): boolean {
  if (body.length <= LONG_CONTEXT_BYTES) return false;
  const at = headers.indexOf('anthropic-beta');
  return at >= 0 && headers[at + 1]?.includes('context-1m') === true;
}

const LONG_CONTEXT_BYTES = 200_000;

/** A name within a text is escaped and does not match; one within a schema may, and makes the estimate larger. */
const MAX_OUTPUT = /"max_?(?:completion_?|output_?)?tokens"\s{0,8}:\s{0,8}(?<tokens>\d{1,9})/gi;

/**
 * The input at a token per byte, and the stated maximum of the output. Rare characters have as many tokens as bytes: at the density of
 * English a request of them would seem small, and its refusal would pass for a used-up limit.
 */
export function requestTokensOf(body: Buffer): number {
  let output = 0;
  for (const { groups } of body.toString('latin1').matchAll(MAX_OUTPUT))
    output = Math.max(output, Number(groups?.['tokens']));
  return body.length + output;
}
