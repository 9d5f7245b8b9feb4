// Decides what a failure means. Evidence in order of trust: structured names with one meaning, text, names
// with several meanings, a specific status, a vague name, any other status. Fewer phrases count inside a
// validation failure, because a provider that rejects a request quotes it: `Tool name 'usage_limit_reached'
// is invalid`.

import type { Reading } from '../reading/reading.ts';
import {
  findPhrases,
  findUnquotedPhrases,
  NO_MATCHES,
  type PhraseMatches,
} from '../text/find-phrases.ts';
import { isSubscriptionRejected } from '../waits/reset-headers.ts';
import { byMentionedName, byName } from './by-name.ts';
import { decidedByStatus, isSpecific } from './by-status.ts';
import { byText } from './by-text.ts';
import { type Decided, hasWait } from './meanings.ts';
import { isRefusal } from './structured-names.ts';

/** The meaning of a failure and the phrases found in its text. */
export type Decision = { readonly decided: Decided; readonly matches: PhraseMatches };

/** `find` restricts the phrases that count as evidence; names mentioned in the text count only without it. */
export function decideMeaning(reading: Reading, find?: (text: string) => PhraseMatches): Decision {
  const { text, names, status } = reading;
  const certain = byOutcome(reading) ?? bySubscription(reading) ?? byName('firm', names);
  if (certain !== undefined) {
    return {
      decided: certain,
      matches: hasWait(certain.meaning) ? (find ?? findPhrases)(text) : NO_MATCHES,
    };
  }
  if (isProse(reading)) return { decided: PROSE, matches: NO_MATCHES };
  const isValidation = readsAsValidation(reading);
  const matches = (find ?? (isValidation ? findUnquotedPhrases : findPhrases))(text);
  const decided =
    byText(matches.phrases, { status, isValidation }) ??
    byName('loose', names) ??
    bySpecificStatus(reading) ??
    (find ? undefined : byMentionedName(text, isValidation)) ??
    byName('vague', names) ??
    byStatus(reading);
  return { decided, matches };
}

const PROSE: Decided = { meaning: 'unknown', rule: 'prose' };

/**
 * A model's final answer passed as if it were an error. It can mention any phrase, so its text is not
 * evidence.
 */
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

function bySpecificStatus(reading: Reading): Decided | undefined {
  const { status } = reading;
  return status !== undefined && isSpecific(status) ? byStatus(reading) : undefined;
}

function byStatus(reading: Reading): Decided {
  const { status, isCut } = reading;
  if (isCut && (status ?? 0) < 400) return { meaning: 'failed', rule: 'body: cut off' };
  if (isEmptySuccess(reading)) return { meaning: 'failed', rule: 'body: empty' };
  if (status === undefined) return { meaning: 'unknown', rule: 'nothing recognised' };
  return decidedByStatus(status);
}

/** A 2xx response without content, names or outcomes counts as a failure. */
function isEmptySuccess({ status, text, names, outcomes }: Reading): boolean {
  if (status === undefined || status < 200 || status > 299) return false;
  return text === '' && names.length === 0 && outcomes.length === 0;
}
