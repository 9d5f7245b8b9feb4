// Meanings from the structured names of a failure, and from names mentioned in its text.

import { splitQuotes } from '../text/quotes.ts';
import type { Decided, Meaning } from './meanings.ts';
import { type KnownName, knownName, type NameTrust } from './structured-names.ts';

/** Of several names the most specific decides: `type: invalid_request_error, code: …`. */
export function byName(trust: NameTrust, names: readonly KnownName[]): Decided | undefined {
  let best: Decided | undefined;
  for (const known of names) {
    const decided = known[trust];
    if (decided === undefined) continue;
    if (best === undefined || isMoreSpecific(decided, best)) best = decided;
  }
  return best;
}

function isMoreSpecific(one: Decided, other: Decided): boolean {
  return MOST_SPECIFIC_FIRST.indexOf(one.meaning) < MOST_SPECIFIC_FIRST.indexOf(other.meaning);
}

/**
 * Exceptions are often printed with their class or code: `openai.BadRequestError: …`, `read ENETRESET`,
 * `permission_error: …`. A validation failure may quote any name, so only firm class names count there.
 */
export function byMentionedName(text: string, isValidation: boolean): Decided | undefined {
  const opening = text.slice(0, OPENING_LENGTH);
  if (isValidation && !CLASS_SUFFIX.test(opening)) return undefined;
  if (isValidation) return byName('firm', namesIn(splitQuotes(opening).outside, CLASS_NAME));
  if (!NAME_MARK.test(opening)) return undefined;
  const names = namesIn(opening, ANY_NAME);
  return byName('firm', names) ?? byName('loose', names) ?? byName('vague', names);
}

const MOST_SPECIFIC_FIRST: readonly Meaning[] = [
  'unknown',
  'quota',
  'limit',
  'policy',
  'too_long',
  'too_large',
  'untrusted',
  'overloaded',
  'throttle',
  'credentials',
  'aborted',
  'idle',
  'connect',
  'unanswered',
  'slow',
  'lost',
  'invalid',
  'failed',
];

const OPENING_LENGTH = 300;
// Every name contains an underscore, or a capital or digit after a letter. Few sentences do, and this test
// costs a fraction of a name lookup.
const NAME_MARK = /_|[A-Za-z][A-Z]|[A-Z]\d/;
const CLASS_SUFFIX = /Error|Exception|Timeout/;
const CLASS_NAME = /\b[A-Z][A-Za-z]{2,40}(?:Error|Exception|Timeout)\b/g;
const ANY_NAME =
  /\b(?:[A-Z][A-Z0-9_]{4,50}|[a-z]{2,20}(?:_[a-z]{2,20}){1,5}|[A-Za-z]{3,40}(?:Error|Exception|Timeout))\b/g;

function namesIn(text: string, pattern: RegExp): KnownName[] {
  return (text.match(pattern) ?? []).flatMap((name) => knownName(name) ?? []);
}
