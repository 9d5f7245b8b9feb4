// What the structured names of a failure mean, and the names that its text mentions.

import type { Meaning } from './meanings.ts';
import { splitQuotes } from './quoted-words.ts';
import { type KnownName, knownName, type NameTrust } from './structured-names.ts';

export type Decided = { readonly meaning: Meaning; readonly rule: string };

/** Where several names are given the more telling one decides: `type: invalid_request_error, code: …`. */
export function byName(trust: NameTrust, names: readonly KnownName[]): Decided | undefined {
  let best: Decided | undefined;
  for (const known of names) {
    const meaning = known[trust];
    if (meaning === undefined) continue;
    const isBetter = best === undefined || TELLING.indexOf(meaning) < TELLING.indexOf(best.meaning);
    if (isBetter) best = { meaning, rule: `name: ${known.name}` };
  }
  return best;
}

/**
 * Exceptions are often printed with their class or code: `openai.BadRequestError: …`, `read ENETRESET`,
 * `permission_error: …`. A validation failure may name anything, so only classes that are firm count there.
 */
export function byMentionedName(text: string, isValidation: boolean): Decided | undefined {
  const opening = text.slice(0, OPENING_LENGTH);
  if (isValidation && !CLASS_SUFFIX.test(opening)) return undefined;
  if (isValidation) return byName('firm', namesIn(splitQuotes(opening).outside, CLASS_NAME));
  const names = namesIn(opening, ANY_NAME);
  return byName('firm', names) ?? byName('loose', names) ?? byName('vague', names);
}

const TELLING: readonly Meaning[] = [
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
const CLASS_SUFFIX = /Error|Exception|Timeout/;
const CLASS_NAME = /\b[A-Z][A-Za-z]{2,40}(?:Error|Exception|Timeout)\b/g;
const ANY_NAME =
  /\b(?:[A-Z][A-Z0-9_]{4,50}|[a-z]{2,20}(?:_[a-z]{2,20}){1,5}|[A-Za-z]{3,40}(?:Error|Exception|Timeout))\b/g;

function namesIn(text: string, pattern: RegExp): KnownName[] {
  return (text.match(pattern) ?? []).flatMap((name) => knownName(name) ?? []);
}
