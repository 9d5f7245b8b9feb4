// Maps any provider failure to one code. Pure, total, and linear in the size of the input. The input may be
// hostile; the output consists of codes, allow-listed words and numbers, so no provider text can pass. The
// steps (read, decide, find the wait) are the files in mapping/.

import type { ErrorParams, Verdict } from './codes.ts';
import { assess } from './mapping/assess.ts';
import { type Lesson, type LessonContext, lessonOf } from './mapping/lesson/lesson.ts';
import { type Meaning, OUTCOMES } from './mapping/meaning/meanings.ts';
import { isUnknownModel } from './mapping/meaning/unknown-model.ts';
import { readFailure } from './mapping/reading/read-failure.ts';
import type { Reading } from './mapping/reading/reading.ts';
import { knownField, leadingPath } from './mapping/reading/request-field.ts';
import type { Wait } from './mapping/waits/wait.ts';
import { isInstant } from './reset-timing.ts';

/** Facts about the call of a failure, besides the failure itself. */
export type FailureContext = {
  /** The provider's name in lower case. Needed because Groq counts requests per day without saying so. */
  readonly provider?: string;
  /** The model that the provider was asked for. A 404 that names it says that the provider does not know it. */
  readonly model?: string;
  /**
   * When the failure arrived, in epoch milliseconds. Without it a wall-clock time cannot become an instant.
   */
  readonly now?: number;
  /** The zone of wall-clock times without a zone: that of the machine on which the client ran. */
  readonly timeZone?: string;
  readonly status?: number;
  readonly headers?: unknown;
};

/** A verdict and the name of the rule that decided it. */
export type ExplainedVerdict = Verdict & { readonly rule: string };

/** Maps any failure of a provider (an SDK's error, a response, a body, a text) to one code. Never throws. */
export function mapProviderError(failure: unknown, context: FailureContext = {}): Verdict {
  return judge(failure, context).verdict;
}

/**
 * As `mapProviderError`, with the lesson for all other callers: the verdict may rest on prose that quotes the request, the
 * lesson does not.
 */
export function judgeProviderError(
  failure: unknown,
  context: FailureContext &
    Pick<LessonContext, 'callerText' | 'requestTokens' | 'isLongContext'> = {},
): { readonly verdict: Verdict; readonly lesson: Lesson } {
  const { verdict } = judge(failure, context);
  return { verdict, lesson: lessonOf(failure, verdict, context) };
}

/** As `mapProviderError`, with the name of the rule that decided. */
export function explainProviderError(
  failure: unknown,
  context: FailureContext = {},
): ExplainedVerdict {
  const { verdict, rule } = judge(failure, context);
  return { ...verdict, rule };
}

type Judgement = { readonly verdict: Verdict; readonly rule: string; readonly reading: Reading };

function judge(failure: unknown, context: FailureContext): Judgement {
  const reading = readFailure(failure, context);
  const { meaning, wait, rule } = assess(reading, context);
  return { verdict: verdictOf(meaning, wait, reading, context), rule, reading };
}

function verdictOf(
  meaning: Meaning,
  wait: Wait,
  reading: Reading,
  { now, model }: FailureContext,
): Verdict {
  const outcome = OUTCOMES[meaning];
  const { code, params, retryable } = outcome;
  if (code === 'INVALID_REQUEST') return { code, params: mistakeOf(reading, model), retryable };
  const { retryAfterMs, resetAt } = wait;
  if (retryAfterMs === undefined && resetAt === undefined) return outcome;
  const reported =
    code === 'AI_LIMIT_REACHED' ? resetOf(wait, now) : withDelay(params, retryAfterMs);
  // Each object literal in full: spreading optional fields costs more than the rest of the verdict.
  if (resetAt === undefined) return { code, params: reported, retryable, retryAfterMs };
  if (retryAfterMs === undefined) return { code, params: reported, retryable, resetAt };
  return { code, params: reported, retryable, retryAfterMs, resetAt };
}

function resetOf({ retryAfterMs, resetAt }: Wait, now: number | undefined): ErrorParams {
  const resetTime = resetAt ?? (now ?? Number.NaN) + (retryAfterMs ?? Number.NaN);
  return isInstant(resetTime) ? { resetTime } : {};
}

function withDelay(params: ErrorParams, retryAfterMs: number | undefined): ErrorParams {
  return retryAfterMs === undefined ? params : { ...params, retryAfterMs };
}

function mistakeOf(reading: Reading, model: string | undefined): ErrorParams {
  if (isUnknownModel(reading, model)) return { field: 'model', problem: 'unknown_model' };
  const { field, text } = reading;
  const known = knownField(field) ?? knownField(leadingPath(text));
  return known === undefined ? {} : { field: known };
}
