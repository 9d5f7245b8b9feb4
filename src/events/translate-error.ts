// Translates a reported failure of any kind into the three stored forms. An error that Spillway itself answered, which
// the product passes on, keeps its code. Pure and total.

import { isErrorCode, type Verdict } from '../errors/codes.ts';
import { mapProviderError } from '../errors/map-provider-error.ts';
import type { Redact } from '../errors/redact.ts';
import { renderError } from '../errors/render-error.ts';
import { safeParams } from '../errors/safe-params.ts';
import type { EventError } from './build-event.ts';
import { storableText } from './extract-error.ts';

/** The language, time zone and sentences in which errors are rendered. */
export type EventReader = {
  readonly locale: string;
  readonly timeZone: string;
  readonly now: number;
  /** The organisation's own sentences. */
  readonly overrides?: Readonly<Record<string, string>>;
};

export type TranslatedError = { readonly verdict: Verdict; readonly error: EventError };

export function translateError(
  failure: unknown,
  reader: EventReader,
  redact: Redact,
): TranslatedError {
  const { now, timeZone } = reader;
  const verdict = ownVerdict(failure) ?? mapProviderError(failure, { now, timeZone });
  const { code, params } = verdict;
  const message = renderError(code, params, reader).slice(0, MAX_SENTENCE_CHARACTERS);
  return { verdict, error: { code, params, message, internalMessage: textOf(failure, redact) } };
}

/** The sentence may be the organisation's own, and the column is indexed. */
const MAX_SENTENCE_CHARACTERS = 1000;
const MAX_INTERNAL_CHARACTERS = 8 * 1024;

function ownVerdict(failure: unknown): Verdict | undefined {
  if (typeof failure !== 'object' || failure === null) return undefined;
  const { code, params, retryable } = failure as Record<string, unknown>;
  if (typeof code !== 'string' || !isErrorCode(code)) return undefined;
  if (typeof params !== 'object' || params === null) return undefined;
  const safe = safeParams(code, params);
  const { resetTime: resetAt } = safe;
  return {
    code,
    params: safe,
    retryable: retryable === true,
    ...(resetAt === undefined ? {} : { resetAt }),
  };
}

function textOf(failure: unknown, redact: Redact): string {
  const text = typeof failure === 'string' ? failure : JSON.stringify(failure);
  return storableText(redact(text.slice(0, MAX_INTERNAL_CHARACTERS)));
}
