// Bounds the bytes of unary answers that this server collects at once, over all calls. One answer may be large, and many at
// once would fill the memory. Answers of ordinary size are not counted.

import { SpillwayError } from '../../errors/spillway-error.ts';
import { BytePieces } from '../byte-pieces.ts';
import type { UpstreamHeaders } from '../upstream.ts';

export type AnswerBytes = {
  /** False when the bound is reached. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
};

/** Answers above this size count; nearly all are smaller. */
export const UNCOUNTED_BYTES = 2 ** 20;

export function createAnswerBytes(maxBytes: number): AnswerBytes {
  let used = 0;
  return {
    take(bytes) {
      if (used + bytes > maxBytes) return false;
      used += bytes;
      return true;
    },
    giveBack(bytes) {
      used -= bytes;
    },
  };
}

/** For a body that does not arrive in one chunk: one buffer if the headers state its length. */
export function beginPieces(
  first: Buffer,
  headers: UpstreamHeaders,
  { maxAnswerBytes }: { readonly maxAnswerBytes: number },
): BytePieces {
  const stated = Number(headers['content-length']);
  const isKnown = stated >= first.length && stated <= maxAnswerBytes;
  return new BytePieces(isKnown ? stated : undefined).add(first);
}

/** Not the provider's fault; charged like a call that ended by a clock. */
export function tooManyAnswers(): SpillwayError {
  return new SpillwayError('CAPACITY_EXHAUSTED', 'too many large answers arrive at once', {
    isTimedOut: true,
    isBrokenOff: true,
    retryable: false,
  });
}
