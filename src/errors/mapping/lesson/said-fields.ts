// Values of typed fields that the request contains as well. Some providers return a part of the request where a limit is
// stated: as a code, a delay, metadata of a detail or the name of a limit, which often contains the model. Such a value is
// the caller's and teaches nothing.
//
// A name that states neither a limit nor a refused credential is always the provider's. A firm name is the caller's if the
// request mentions it anywhere; under 402 and 429, which state a limit by themselves, only if a whole string of the request
// is that name, so that a prompt about a limit does not hide the vendor's name. A loose name is an ordinary word of many
// prompts: a mention anywhere makes it the caller's only under another status of the 4xx. Under 429 a loose name other
// than a limit's is the provider's.

import type { Meaning } from '../meaning/meanings.ts';
import { knownName } from '../meaning/structured-names.ts';
import { type CallerText, isSaidBy } from './caller-text.ts';

export type RequestFacts = {
  readonly callerText?: CallerText;
  /** The name of the model as the provider was asked for it. */
  readonly model?: string;
};

/** A name that states a limit or a refused credential, and that the request contains. */
export function isSaidName(
  name: string,
  httpStatus: number | undefined,
  { callerText }: RequestFacts,
): boolean {
  const { firm, loose } = knownName(name) ?? {};
  const meaning = (firm ?? loose)?.meaning;
  if (meaning === undefined || !CLAIMS.has(meaning)) return false;
  if (httpStatus === 429 && !firm && meaning !== 'limit') return false;
  const isAnyMention = firm ? !LIMIT_STATUSES.has(httpStatus) : refusesRequest(httpStatus);
  return isAnyMention ? isSaidBy(callerText, name) : (callerText?.mayState?.(name) ?? false);
}

/**
 * A status in the body that the request contains, and that states a limit or a refused credential although the status of the
 * response is another.
 */
export function isSaidStatus(
  value: string | number,
  httpStatus: number | undefined,
  { callerText }: RequestFacts,
): boolean {
  const status = Number(value);
  if (status === httpStatus || !CLAIMED_STATUSES.has(status)) return false;
  return isSaidBy(callerText, String(status));
}

/** A delay or an instant that the request contains under the same key. */
export function isSaidWait(
  key: string,
  value: string | number,
  { callerText }: RequestFacts,
): boolean {
  return isSaidBy(callerText, `"${key}"`) && isSaidBy(callerText, String(value));
}

/** The name of a limit without the name of the model; undefined if the request contains the whole name. */
export function ownWindow(window: string, facts: RequestFacts): string | undefined {
  const { callerText, model } = facts;
  const name = model?.toLowerCase() ?? '';
  const own = name === '' ? window : window.replaceAll(name, ' ');
  return isSaidBy(callerText, own) ? undefined : own;
}

const LIMIT_STATUSES: ReadonlySet<number | undefined> = new Set([402, 429]);
const CLAIMED_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 429]);
const CLAIMS: ReadonlySet<Meaning> = new Set(['quota', 'limit', 'throttle', 'credentials']);

function refusesRequest(status = 0): boolean {
  return status >= 400 && status < 500 && !LIMIT_STATUSES.has(status);
}
