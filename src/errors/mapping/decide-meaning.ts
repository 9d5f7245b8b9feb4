// From what was read to what it means. Trust, in order: structured names that mean one thing, then text, then
// names that are used loosely, then the status, unless it is one that says little: then a vague name first.
// Text is believed less inside a validation failure, because a provider that complains about a request quotes
// it: `Tool name 'usage_limit_reached' is invalid`.

import { byMentionedName, byName } from './meaning-by-name.ts';
import { type Decided, hasWait } from './meanings.ts';
import type { Reading } from './reading.ts';
import { decidedByStatus, isTelling } from './status-meaning.ts';
import { isRefusal } from './structured-names.ts';
import { byText } from './text/meaning-by-text.ts';
import { type Heard, hear, hearOwnWords, SILENCE } from './text/said-phrases.ts';
import { isSubscriptionRejected } from './waits/reset-headers.ts';

/** What a failure means, and what its text says. */
export type Decision = { readonly decided: Decided; readonly heard: Heard };

export function decideMeaning(reading: Reading): Decision {
  const { text, names, status } = reading;
  const certain = bySubscription(reading) ?? byOutcome(reading) ?? byName('firm', names);
  if (certain !== undefined) {
    return { decided: certain, heard: hasWait(certain.meaning) ? hear(text) : SILENCE };
  }
  if (isProse(reading)) return { decided: PROSE, heard: SILENCE };
  const isValidation = readsAsValidation(reading);
  const heard = isValidation ? hearOwnWords(text) : hear(text);
  const decided =
    byText(heard.said, { status, isValidation }) ??
    byName('loose', names) ??
    byTellingStatus(reading) ??
    byMentionedName(text, isValidation) ??
    byName('vague', names) ??
    byStatus(reading);
  return { decided, heard };
}

const PROSE: Decided = { meaning: 'unknown', rule: 'prose' };

/** What a model says when it is done, handed over as if it were an error: it may mention any of them. */
function isProse({ text, status, names }: Reading): boolean {
  if (status !== undefined || names.length > 0) return false;
  return PROSE_OPENING.test(text);
}

const PROSE_OPENING =
  /^(?:done|sure|let['’]s|let me|i['’]ve|i['’]ll|i (?:added|fixed|updated)|here(?:['’]s| is))\b/i;

const VALIDATION_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 406, 409, 415, 422]);

function readsAsValidation({ status, names }: Reading): boolean {
  if (status !== undefined) return VALIDATION_STATUSES.has(status);
  return names.some((name) => name.vague?.meaning === 'invalid');
}

function bySubscription({ headers, status }: Reading): Decided | undefined {
  if (headers.size === 0) return undefined;
  const isPossible = status === undefined || status === 429 || status < 400;
  if (!isPossible || !isSubscriptionRejected(headers)) return undefined;
  return { meaning: 'quota', rule: 'header: subscription limit rejected' };
}

function byOutcome({ outcomes }: Reading): Decided | undefined {
  return outcomes.some(isRefusal) ? { meaning: 'policy', rule: 'outcome: refused' } : undefined;
}

function byTellingStatus(reading: Reading): Decided | undefined {
  const { status } = reading;
  return status !== undefined && isTelling(status) ? byStatus(reading) : undefined;
}

function byStatus(reading: Reading): Decided {
  const { status, isCut } = reading;
  if (isCut && (status ?? 0) < 400) return { meaning: 'failed', rule: 'body: cut off' };
  if (isEmptySuccess(reading)) return { meaning: 'failed', rule: 'body: empty' };
  if (status === undefined) return { meaning: 'unknown', rule: 'nothing recognised' };
  return decidedByStatus(status);
}

/** A success without an answer is none. */
function isEmptySuccess({ status, text, names, outcomes }: Reading): boolean {
  if (status === undefined || status < 200 || status > 299) return false;
  return text === '' && names.length === 0 && outcomes.length === 0;
}
