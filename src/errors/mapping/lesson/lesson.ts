// The lesson of a failure: what all organisations may learn from it (limits, throttles, refused credentials, the
// provider's health). Organisations share provider accounts, so a lesson rests only on what the provider itself decides:
//
//   status, headers                      always
//   typed fields                         without values that the request contains (said-fields.ts)
//   the provider's sentence              of a 402, 403 or 429, without the words and times that the request contains or that
//                                        a value of it may complete (joined-words.ts)
//   a known sentence of the vendor       whatever the status, if it is the whole message (known-sentences.ts) and the request
//                                        does not contain it
//
// A refusal that concerns one request alone (its size, its features, its content) teaches no limit, whatever its status and its
// headers (request-bound.ts).
//
// A time in a sentence counts only if no header or field states one. A sentence about one model narrows a limit even if the
// request contains it: the wider limit would stop the other models of all organisations. The sentences of a 400, 404, 413 or
// 422 quote the request and teach nothing; the verdict for the one caller may still use them.

import type { ErrorCode, Verdict } from '../../codes.ts';
import { type AssessContext, type Assessment, assess } from '../assess.ts';
import { type Meaning, OUTCOMES } from '../meaning/meanings.ts';
import { isModelBound } from '../meaning/model-bound.ts';
import type { KnownName } from '../meaning/structured-names.ts';
import type { Reading } from '../reading/reading.ts';
import { findPhrases, NO_MATCHES, type PhraseMatches } from '../text/find-phrases.ts';
import { ruleOf } from '../text/phrase-book.ts';
import { TEXT_RULES } from '../text/rules.ts';
import { statedWait } from '../waits/find-wait.ts';
import { isDayExhausted, isSubscriptionRejected } from '../waits/reset-headers.ts';
import { NO_WAIT, type Wait } from '../waits/wait.ts';
import {
  type CallerText,
  findNarrowPhrases,
  findOwnPhrases,
  isSaidBy,
  withoutSaidNumbers,
} from './caller-text.ts';
import { knownSentence } from './known-sentences.ts';
import {
  exceedsBySize,
  isLimitOfRequest,
  isScopeOfRequest,
  type SizedRequest,
  statesAmount,
} from './request-bound.ts';
import { readTyped, type TypedReading } from './typed-reading.ts';

export type Lesson = {
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly resetAt: number | undefined;
  /** The limit applies to one model; other models of the account stay usable. */
  readonly isModelBound: boolean;
  /** Prepaid money is used up, which no waiting mends. */
  readonly isCredit: boolean;
  /** A throttle that states neither its amount nor its remainder: the request may be larger than the remainder. */
  readonly isUnnumbered: boolean;
  /** A valid key lacks the scope of this operation; it serves others. */
  readonly isScopeBound: boolean;
  readonly health: LessonHealth;
};

/** `doubtful`: a failure that the request itself may have provoked, such as an unreadable answer with status 200. */
export type LessonHealth = 'failure' | 'neutral' | 'doubtful';

export type LessonContext = AssessContext &
  SizedRequest & { readonly status?: number; readonly headers?: unknown };

export function lessonOf(failure: unknown, verdict: Verdict, context: LessonContext): Lesson {
  const typed = readTyped(failure, context);
  const { meaning, wait, reading, rule } = assessTyped(typed, context);
  const isByWord = (status: number) => typed.httpStatus === status && WORDS.has(rule);
  const code = isByWord(403)
    ? 'REQUEST_TOO_LARGE'
    : taughtCode(OUTCOMES[meaning].code, verdict, { ...typed, reading }, context);
  const isLimit = code === 'AI_LIMIT_REACHED';
  return {
    code,
    retryAfterMs: wait.retryAfterMs,
    resetAt: wait.resetAt,
    isModelBound:
      isLimit &&
      (isByWord(429) ||
        isModelBound(reading, context.model) ||
        isPlanOf(typed, meaning) ||
        // Headers of a day count the model that was called: Groq, Cerebras, SambaNova.
        (meaning === 'limit' && isDayExhausted(reading.headers, context.provider))),
    isCredit: meaning === 'quota',
    isUnnumbered: code === 'RATE_LIMITED' && !statesAmount(reading, context),
    isScopeBound:
      code === 'AUTH_FAILED' && (isScopeOfRequest(reading.text, context) || isPermission(typed)),
    health: healthOf(typed, meaning, verdict),
  };
}

/**
 * The rules of single words, such as `quota`, `credits` or `upgrade your plan`. A 403 with one of them may refuse a feature that the
 * plan does not include, and a 429 a feature with a limit of its own.
 */
const WORDS: ReadonlySet<string> = new Set(
  TEXT_RULES.flatMap(({ reach, phrases }) => (reach === 'refused' ? phrases.map(ruleOf) : [])),
);

/** A 403 without used-up money may refuse a plan's model: other models of the account are served. */
function isPlanOf({ httpStatus }: TypedReading, meaning: Meaning): boolean {
  return httpStatus === 403 && meaning !== 'quota';
}

/**
 * The names refuse a permission: of one model (Groq: a 400 for a model whose terms are not accepted) or of one operation (Azure: a
 * 401). The names of a refused key are firm ones.
 */
function isPermission({ httpStatus, reading: { names } }: TypedReading): boolean {
  if (names.some(({ firm }) => firm?.meaning === 'credentials')) return false;
  const isOfPermission = ({ name, loose }: KnownName) =>
    loose?.meaning === 'credentials' && name !== 'unauthorized';
  return httpStatus === 400 || names.some(isOfPermission);
}

/**
 * A status that refuses a credential or states a limit may refuse the request instead; the sentence says so. Such a sentence
 * may quote the request, so only codes that concern this request alone are taken from it, never a limit.
 */
function taughtCode(
  code: ErrorCode,
  verdict: Verdict,
  { reading, httpStatus }: Pick<TypedReading, 'reading' | 'httpStatus'>,
  context: LessonContext,
): ErrorCode {
  const isThrottle = code === 'RATE_LIMITED';
  const isLimit = code === 'AI_LIMIT_REACHED' || isThrottle;
  if (!isLimit && code !== 'AUTH_FAILED') return code;
  if ((isLimit ? REFUSES_SIZE : REFUSES_REQUEST).has(verdict.code)) return verdict.code;
  if (!isLimit) return code;
  const isOfRequest =
    httpStatus === 413 ||
    isLimitOfRequest(reading, context) ||
    exceedsBySize(reading, isThrottle, context);
  return isOfRequest ? 'REQUEST_TOO_LARGE' : code;
}

const REFUSES_REQUEST: ReadonlySet<ErrorCode> = new Set([
  'CONTENT_POLICY',
  'INVALID_REQUEST',
  'CONTEXT_TOO_LONG',
  'REQUEST_TOO_LARGE',
  'NOT_FOUND',
]);

/** A typed limit outranks the verdict that a request is invalid, because vendors state limits under status 400. */
const REFUSES_SIZE: ReadonlySet<ErrorCode> = new Set([
  'CONTENT_POLICY',
  'CONTEXT_TOO_LONG',
  'REQUEST_TOO_LARGE',
]);

type TypedAssessment = Assessment & { readonly reading: Reading };

/** The reading has the whole sentence: it may narrow a lesson in any case. */
function assessTyped(typed: TypedReading, context: LessonContext): TypedAssessment {
  const { messages, httpStatus } = typed;
  const sentence = messages.join('\n');
  const reading = { ...typed.reading, text: sentence };
  const known = messages.length === 1 ? knownSentence(sentence) : undefined;
  if (known && !isSaidBy(context.callerText, sentence)) return { ...known, reading };
  const isOwn = httpStatus !== undefined && SENTENCE_STATUSES.has(httpStatus);
  const assessment = isOwn
    ? assessSentence(typed.reading, sentence, context)
    : assess(typed.reading, context, () => NO_MATCHES);
  return { ...assessment, reading };
}

function assessSentence(typed: Reading, sentence: string, context: LessonContext): Assessment {
  const callerText = context.callerText ?? NOTHING_SAID;
  const isTimed = statesWait(typed, context);
  const own = withoutSaidNumbers(sentence, callerText);
  const reading = { ...typed, text: isTimed ? own.replaceAll(EPOCH, '|x') : own };
  const assessWith = (find: (text: string) => PhraseMatches) =>
    assess(reading, context, (text) => {
      const { phrases, waitEnds } = find(text);
      return { phrases, waitEnds: isTimed ? [] : waitEnds };
    });
  let found = NO_MATCHES;
  const learnt = assessWith((text) => {
    found = findOwnPhrases(text, callerText);
    return found;
  });
  const whole = isLimit(learnt) ? assessWith((text) => findNarrowPhrases(text, found)) : learnt;
  const stated = isTimed ? NO_WAIT : statedWait(reading, findPhrases(sentence).waitEnds, context);
  return narrowed(learnt, whole, stated);
}

/**
 * Words and times that the request contains as well may end or shorten a lesson, though they teach none by themselves: they can be
 * the provider's.
 */
function narrowed(
  { rule, meaning, wait }: Assessment,
  whole: Assessment,
  stated: Wait,
): Assessment {
  return {
    rule,
    // A refusal that concerns this request alone.
    meaning: isLimit({ meaning }) && !isLimit(whole) ? 'too_large' : meaning,
    wait: {
      retryAfterMs: earlier(wait.retryAfterMs, stated.retryAfterMs),
      resetAt: earlier(wait.resetAt, stated.resetAt),
    },
  };
}

function isLimit({ meaning }: Pick<Assessment, 'meaning'>): boolean {
  return OUTCOMES[meaning].code === 'AI_LIMIT_REACHED';
}

function earlier(time: number | undefined, other = Number.POSITIVE_INFINITY): number | undefined {
  return time === undefined ? undefined : Math.min(time, other);
}

const EPOCH = /\|\d/g;
const NOTHING_SAID: CallerText = () => '';

const SENTENCE_STATUSES: ReadonlySet<number> = new Set([402, 403, 429]);

/** Whether headers or fields state a wait; then the sentence's is not read. */
function statesWait(reading: Reading, context: LessonContext): boolean {
  const { retryAfterMs, resetAt } = statedWait(reading, [], context);
  return retryAfterMs !== undefined || resetAt !== undefined;
}

function healthOf(typed: TypedReading, meaning: Meaning, verdict: Verdict): LessonHealth {
  const { httpStatus, isLocal } = typed;
  if (httpStatus !== undefined && httpStatus >= 400 && httpStatus < 500) return 'neutral';
  const isFailing = FAILING.has(meaning);
  if (isLocal || (httpStatus ?? 0) >= 500) return isFailing ? 'failure' : unreadable(verdict);
  if (isTypedFailure(typed)) return isFailing ? 'failure' : 'neutral';
  return unreadable(verdict);
}

/** No typed field says what failed. */
function unreadable({ code, retryable }: Verdict): LessonHealth {
  if (code === 'NETWORK_TIMEOUT') return retryable ? 'doubtful' : 'neutral';
  return code === 'INTERNAL' || code === 'PROVIDER_UNAVAILABLE' ? 'doubtful' : 'neutral';
}

function isTypedFailure({ reading }: TypedReading): boolean {
  const { names, status = 0, headers } = reading;
  return names.length > 0 || status >= 400 || isSubscriptionRejected(headers);
}

const FAILING: ReadonlySet<Meaning> = new Set([
  'overloaded',
  'failed',
  'broken',
  'connect',
  'unanswered',
  'slow',
  'idle',
  'lost',
  'untrusted',
]);

/** The lesson of an answer with status 200 that cannot be read, or of a stream that ends early. */
export const UNREADABLE_ANSWER: Lesson = Object.freeze({
  code: 'NETWORK_TIMEOUT',
  retryAfterMs: undefined,
  resetAt: undefined,
  isModelBound: false,
  isCredit: false,
  isUnnumbered: false,
  isScopeBound: false,
  health: 'doubtful',
});
