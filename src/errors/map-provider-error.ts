// Any failure of a provider to one code: pure, total, linear. What comes in may be hostile; what goes out is
// built from our own words and numbers alone, so no text of the provider can pass. The steps are read,
// decide, wait, and each is a file in mapping/.

import type { ErrorParams, Verdict } from './codes.ts';
import { decideMeaning } from './mapping/decide-meaning.ts';
import { hasWait, isOfLimits, type Meaning, OUTCOMES } from './mapping/meanings.ts';
import { isModelBound } from './mapping/model-bound.ts';
import { readFailure } from './mapping/read-failure.ts';
import type { Reading } from './mapping/reading.ts';
import { knownField, leadingPath } from './mapping/request-field.ts';
import { limitOrThrottle } from './mapping/waits/limit-or-throttle.ts';
import { quotaWindow } from './mapping/waits/quota-window.ts';
import { statedWait } from './mapping/waits/stated-wait.ts';
import { NO_WAIT, type Wait } from './mapping/waits/wait.ts';
import { isInstant } from './reset-timing.ts';

export type FailureContext = {
  /** The provider's name in lower case; Groq counts requests by the day without saying so. */
  readonly provider?: string;
  /** Taken for the sake of callers that hand over what they have: no verdict depends on it yet. */
  readonly model?: string;
  /** When the failure arrived, in epoch milliseconds; without it clock times cannot become instants. */
  readonly now?: number;
  /** The zone of clock times that name none: that of the machine the client ran on. */
  readonly timeZone?: string;
  readonly status?: number;
  readonly headers?: unknown;
};

/** A verdict and the rule that led to it, in our words. */
export type ExplainedVerdict = Verdict & { readonly rule: string };

export function mapProviderError(failure: unknown, context: FailureContext = {}): Verdict {
  return judge(failure, context).verdict;
}

/** The same for those who remember limits: they need to know whose it is. */
export function judgeProviderError(
  failure: unknown,
  context: FailureContext = {},
): { readonly verdict: Verdict; readonly isModelBound: boolean } {
  const { verdict, reading } = judge(failure, context);
  const isLimit = verdict.code === 'AI_LIMIT_REACHED';
  return { verdict, isModelBound: isLimit && isModelBound(reading) };
}

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
  const { decided, heard } = decideMeaning(reading);
  const first = decided.meaning;
  const wait = hasWait(first) ? statedWait(reading, heard.waitEnds, context) : NO_WAIT;
  const meaning = isOfLimits(first)
    ? limitOrThrottle(first, quotaWindow(reading, heard.said, context.provider), wait, context.now)
    : first;
  return { verdict: verdictOf(meaning, wait, reading, context), rule: decided.rule, reading };
}

function verdictOf(
  meaning: Meaning,
  wait: Wait,
  reading: Reading,
  { now }: FailureContext,
): Verdict {
  const outcome = OUTCOMES[meaning];
  const { code, params, retryable } = outcome;
  if (code === 'INVALID_REQUEST') return { code, params: fieldOf(reading), retryable };
  const { retryAfterMs, resetAt } = wait;
  if (retryAfterMs === undefined && resetAt === undefined) return outcome;
  const told = code === 'AI_LIMIT_REACHED' ? resetOf(wait, now) : withDelay(params, retryAfterMs);
  // Each form in full: spreading what may be absent costs more than the rest of the verdict.
  if (resetAt === undefined) return { code, params: told, retryable, retryAfterMs };
  if (retryAfterMs === undefined) return { code, params: told, retryable, resetAt };
  return { code, params: told, retryable, retryAfterMs, resetAt };
}

function resetOf({ retryAfterMs, resetAt }: Wait, now: number | undefined): ErrorParams {
  const resetTime = resetAt ?? (now ?? Number.NaN) + (retryAfterMs ?? Number.NaN);
  return isInstant(resetTime) ? { resetTime } : {};
}

function withDelay(params: ErrorParams, retryAfterMs: number | undefined): ErrorParams {
  return retryAfterMs === undefined ? params : { ...params, retryAfterMs };
}

function fieldOf({ field, text }: Reading): ErrorParams {
  const known = knownField(field) ?? knownField(leadingPath(text));
  return known === undefined ? {} : { field: known };
}
