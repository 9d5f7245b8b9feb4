// Chooses the catalogue message for a code and its parameters, and the arguments that fill it.
// Language-independent.

import type { MessageKey } from './catalogues.ts';
import { type ErrorCode, type ErrorParams, isErrorCode } from './codes.ts';
import type { Locale } from './locale.ts';
import { isolated, problemMessage } from './problem-message.ts';
import { type ResetTiming, resetTiming } from './reset-timing.ts';
import { safeParams } from './safe-params.ts';

export type MessageArguments = Readonly<Record<string, string | number>>;

export type ChosenMessage = {
  readonly key: MessageKey;
  /** One override under this name replaces all variants of the message. */
  readonly family: ErrorCode | 'BACKGROUND_PAUSED';
  readonly args: MessageArguments;
};

type Reader = {
  readonly locale: Locale;
  readonly timeZone: string;
  readonly now: number;
  readonly isBackground: boolean;
};

export function chooseMessage(code: string, raw: unknown, reader: Reader): ChosenMessage {
  const known = isErrorCode(code) ? code : 'INTERNAL';
  const params = safeParams(known, raw);
  if (reader.isBackground && isPause(known, params)) return pausedMessage(params, reader);
  if (known === 'AI_LIMIT_REACHED') return limitMessage(params, reader);
  if (known === 'RATE_LIMITED') return throttleMessage(params, reader);
  if (known === 'PROVIDER_UNAVAILABLE') return outageMessage(params);
  if (known === 'BUDGET_EXCEEDED') return budgetMessage(params, reader);
  if (known === 'NETWORK_TIMEOUT') {
    const isCut = params.phase === 'connect' || params.phase === 'lost';
    return { key: `${known}.${isCut ? 'lost' : 'slow'}`, family: known, args: {} };
  }
  if (known === 'INVALID_REQUEST') return mistakeMessage(params, reader);
  if (known === 'NOT_FOUND') return missingMessage(params, reader);
  if (known === 'CONFLICT' && params.conflict !== undefined)
    return { key: `${known}.${params.conflict}`, family: known, args: {} };
  return { key: known, family: known, args: {} };
}

/** Up to this wait a sentence says "in a moment"; above it the sentence states the time that the header has. */
const MOMENT_MS = 15_000;
const SECONDS_UP_TO_MS = 120_000;
const MINUTE_MS = 60_000;

function isPause(code: ErrorCode, params: ErrorParams): boolean {
  if (code === 'PROVIDER_UNAVAILABLE') return params.reason === 'circuit_open';
  // Work that no reset lets continue is not paused.
  if (isCredit(params)) return false;
  return code === 'AI_LIMIT_REACHED' || code === 'RATE_LIMITED';
}

/** Prepaid money at the provider is used up; only a payment restores it. */
function isCredit({ reason, resetTime }: ErrorParams): boolean {
  return reason === 'credit' && resetTime === undefined;
}

function pausedMessage(params: ErrorParams, reader: Reader): ChosenMessage {
  const when = resetTiming(params.resetTime ?? after(params.retryAfterMs, reader), reader);
  return { key: `BACKGROUND_PAUSED.${when.timing}`, family: 'BACKGROUND_PAUSED', args: when };
}

function limitMessage(params: ErrorParams, reader: Reader): ChosenMessage {
  if (isCredit(params))
    return { key: 'AI_LIMIT_REACHED.credit', family: 'AI_LIMIT_REACHED', args: {} };
  const when = resetTiming(params.resetTime, reader);
  return { key: `AI_LIMIT_REACHED.${when.timing}`, family: 'AI_LIMIT_REACHED', args: when };
}

function throttleMessage(params: ErrorParams, reader: Reader): ChosenMessage {
  const family = 'RATE_LIMITED';
  const waitMs = params.retryAfterMs;
  if (params.scope !== 'organization') {
    if (waitMs === undefined || waitMs <= MOMENT_MS)
      return {
        key: `${family}.${params.scope === 'system' ? 'system' : 'provider'}`,
        family,
        args: {},
      };
    return waitMs <= SECONDS_UP_TO_MS
      ? { key: `${family}.busy.seconds`, family, args: { seconds: Math.ceil(waitMs / 1_000) } }
      : { key: `${family}.busy.minutes`, family, args: { minutes: Math.ceil(waitMs / MINUTE_MS) } };
  }
  if (waitMs !== undefined && waitMs <= SECONDS_UP_TO_MS) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    return { key: `${family}.organization.seconds`, family, args: { timing: 'seconds', seconds } };
  }
  const when: ResetTiming = resetTiming(after(waitMs, reader), reader);
  const timing = when.timing === 'now' ? 'unknown' : when.timing;
  return { key: `${family}.organization.${timing}`, family, args: when };
}

function after(waitMs: number | undefined, reader: Reader): number | undefined {
  return waitMs === undefined ? undefined : reader.now + waitMs;
}

function outageMessage({ reason, retryAfterMs }: ErrorParams): ChosenMessage {
  const family = 'PROVIDER_UNAVAILABLE';
  if (reason === 'circuit_open' && retryAfterMs !== undefined) {
    const minutes = Math.max(1, Math.ceil(retryAfterMs / MINUTE_MS));
    return { key: `${family}.circuit_open.minutes`, family, args: { minutes } };
  }
  const known = reason === 'overloaded' || reason === 'circuit_open' ? reason : 'error';
  return { key: `${family}.${known}`, family, args: {} };
}

/** The request needs more than is left, though the budget is not used up: a smaller maximum fits. */
function budgetMessage({ remaining, reserved }: ErrorParams, { locale }: Reader): ChosenMessage {
  const family = 'BUDGET_EXCEEDED';
  if (remaining === undefined || reserved === undefined || remaining <= 0)
    return { key: `${family}.used_up`, family, args: {} };
  const args = { remaining: dollars(remaining, locale), reserved: dollars(reserved, locale) };
  return { key: `${family}.too_large`, family, args };
}

/** As many digits as an amount below a cent needs. */
function dollars(amount: number, locale: Locale): string {
  const maximumFractionDigits = amount < 0.01 ? 6 : amount < 1 ? 4 : 2;
  const style = { style: 'currency', currency: 'USD', maximumFractionDigits } as const;
  return new Intl.NumberFormat(locale, style).format(amount);
}

function mistakeMessage(params: ErrorParams, reader: Reader): ChosenMessage {
  const family = 'INVALID_REQUEST';
  const { field } = params;
  const specific = problemMessage(params, reader.locale);
  if (specific) return specific;
  if (field === undefined) return { key: `${family}.plain`, family, args: {} };
  return { key: `${family}.field`, family, args: { field: isolated(field, reader.locale) } };
}

/** A path is the caller's own text; without one the sentence is about an id. */
function missingMessage({ path }: ErrorParams, { locale }: Reader): ChosenMessage {
  const family = 'NOT_FOUND';
  if (path === undefined) return { key: `${family}.thing`, family, args: {} };
  return { key: `${family}.path`, family, args: { path: isolated(path, locale) } };
}
