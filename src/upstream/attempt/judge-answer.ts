// Judges a whole body with status 200: an answer, a refusal or failure, or an answer in another form than the requested one (a
// stream to a unary request, one JSON object to a streaming request). The provider charges for the last, so its usage is read. None of
// its text reaches the caller. Pure.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import { containsError, errorIn } from '../json/error-member.ts';
import { endOfValue, OPEN_BRACE, skipSpace } from '../json/scan.ts';
import { createStreamReader } from '../streams/reader.ts';
import type { AttemptCall } from './attempt-call.ts';
import { lost, MAX_REFUSAL, otherForm } from './attempt-failure.ts';
import { readUsage } from './read-usage.ts';
import { isRefusedAnswer } from './refused-answer.ts';
import { isAnswer } from './whole-answer.ts';

export type JudgedAnswer =
  | { readonly kind: 'answer'; readonly usage: MeteredUsage | undefined }
  /** `error`: where the body states it; else the body. */
  | { readonly kind: 'refused'; readonly usage?: MeteredUsage | undefined; readonly error?: Buffer }
  | {
      readonly kind: 'lost';
      readonly error: SpillwayError;
      readonly unusable?: UnusableAnswer | undefined;
    };

/** An answer that the provider gave and the caller cannot get. */
export type UnusableAnswer = {
  readonly usage: MeteredUsage | undefined;
  readonly outputBytes: number;
  /** False: nothing of it could be read. */
  readonly isRead: boolean;
};

export const UNREAD_ANSWER: UnusableAnswer = Object.freeze({
  usage: undefined,
  outputBytes: 0,
  isRead: false,
});

export function judgeAnswer(call: AttemptCall, body: Buffer): JudgedAnswer {
  const { format } = call.target;
  if (!isObjectStart(body)) return judgeStream(call, body);
  const usage = readUsage(format, body);
  // Status 200 with a cut response or a bare refusal is a failure.
  const isWhole = isAnswer(format, body, usage);
  if (!isWhole && isCut(body)) return { kind: 'lost', error: lost('the answer is cut') };
  const error = isWhole || body.length > MAX_REFUSAL.bytes ? errorIn(body) : undefined;
  if (error) return { kind: 'refused', usage, error };
  if (!isWhole || isRefusedAnswer(format, body)) return { kind: 'refused', usage };
  if (!call.isStream) return { kind: 'answer', usage };
  return unusable({ usage, outputBytes: body.length, isRead: true });
}

/** No event of a stream begins like this, and every unary answer does. */
export function isObjectStart(bytes: Buffer): boolean {
  return bytes[skipSpace(bytes, 0)] === OPEN_BRACE;
}

function isCut(body: Buffer): boolean {
  return endOfValue(body, skipSpace(body, 0)) < 0 && !containsError(body);
}

/** A proxy's page is text outside of any event. */
function judgeStream({ target }: AttemptCall, body: Buffer): JudgedAnswer {
  const reader = createStreamReader(target.format, { maxEventBytes: body.length });
  reader.push(body);
  reader.isComplete();
  const usage = reader.usage();
  const { error, foreign } = reader.status;
  if (error) return { kind: 'refused', usage, error };
  const { outputBytes } = reader;
  if (!usage && outputBytes === 0)
    return foreign || body.length === 0 ? { kind: 'refused' } : unusable(UNREAD_ANSWER);
  return unusable({ usage, outputBytes, isRead: true });
}

function unusable(answer: UnusableAnswer): JudgedAnswer {
  return { kind: 'lost', error: otherForm(), unusable: answer };
}
