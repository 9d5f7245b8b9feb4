// Chooses the catalogue message for a code and its parameters, and the arguments that fill it.
// Language-independent.

import type { MessageKey } from './catalogues.ts';
import { type ErrorCode, type ErrorParams, isErrorCode } from './codes.ts';
import { isRightToLeft, type Locale } from './locale.ts';
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
  if (known === 'PROVIDER_UNAVAILABLE') {
    return { key: `${known}.${params.reason ?? 'error'}`, family: known, args: {} };
  }
  if (known === 'NETWORK_TIMEOUT') {
    const isCut = params.phase === 'connect' || params.phase === 'lost';
    return { key: `${known}.${isCut ? 'lost' : 'slow'}`, family: known, args: {} };
  }
  if (known === 'INVALID_REQUEST') return mistakeMessage(params, reader);
  return { key: known, family: known, args: {} };
}

const SECONDS_UP_TO_MS = 120_000;

function isPause(code: ErrorCode, params: ErrorParams): boolean {
  if (code === 'PROVIDER_UNAVAILABLE') return params.reason === 'circuit_open';
  return code === 'AI_LIMIT_REACHED' || code === 'RATE_LIMITED';
}

function pausedMessage(params: ErrorParams, reader: Reader): ChosenMessage {
  const when = resetTiming(params.resetTime ?? after(params.retryAfterMs, reader), reader);
  return { key: `BACKGROUND_PAUSED.${when.timing}`, family: 'BACKGROUND_PAUSED', args: when };
}

function limitMessage(params: ErrorParams, reader: Reader): ChosenMessage {
  const when = resetTiming(params.resetTime, reader);
  return { key: `AI_LIMIT_REACHED.${when.timing}`, family: 'AI_LIMIT_REACHED', args: when };
}

function throttleMessage(params: ErrorParams, reader: Reader): ChosenMessage {
  const family = 'RATE_LIMITED';
  if (params.scope !== 'organization') {
    return { key: `${family}.${params.scope ?? 'provider'}`, family, args: {} };
  }
  const waitMs = params.retryAfterMs;
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

function mistakeMessage({ field }: ErrorParams, reader: Reader): ChosenMessage {
  const family = 'INVALID_REQUEST';
  if (field === undefined) return { key: `${family}.plain`, family, args: {} };
  return { key: `${family}.field`, family, args: { field: isolated(field, reader.locale) } };
}

// A field name is read left to right even inside a right-to-left sentence.
function isolated(field: string, locale: Locale): string {
  return isRightToLeft(locale) ? `\u2066${field}\u2069` : field;
}
