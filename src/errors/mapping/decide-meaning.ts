// From what was read to what it means. Trust, in order: structured names that mean one thing, then text, then
// names that are used loosely, then the status, unless it is one that says little: then a vague name first. Text is believed less inside a validation failure, because a
// provider that complains about a request quotes it: `Tool name 'usage_limit_reached' is invalid`.

import type { Meaning } from './meanings.ts';
import { createPhraseScanner, type PhraseScanner } from './phrase-scanner.ts';
import {
  LONG_PHRASES,
  NO_WINDOW,
  type QuotaWindow,
  quotaWindow,
  SHORT_PHRASES,
} from './quota-window.ts';
import { splitQuotes } from './quoted-words.ts';
import type { Reading } from './reading.ts';
import { isSubscriptionRejected } from './reset-headers.ts';
import { isTelling, meaningOfStatus } from './status-meaning.ts';
import { isRefusal, meaningOfName, type NameTrust, plainName } from './structured-names.ts';
import { TEXT_RULES, type TextRule } from './text-rules.ts';

export type Decision = {
  readonly meaning: Meaning;
  /** Which rule decided, in our words: for people who ask why. */
  readonly rule: string;
  readonly window: QuotaWindow;
};

export function decideMeaning(reading: Reading): Decision {
  if (isProse(reading)) return { meaning: 'unknown', rule: 'prose', window: NO_WINDOW };
  const isValidation = readsAsValidation(reading);
  const said = isValidation ? scanOwnWords(reading.text) : scan(reading.text);
  const window = quotaWindow(reading, (phrase) => said[indexOfPhrase(phrase)] === 1);
  const decided =
    bySubscription(reading) ??
    byOutcome(reading) ??
    byName('firm', reading.names) ??
    byCapacityText(reading, said) ??
    byBelievedText(reading, said, isValidation) ??
    byName('loose', reading.names) ??
    byTellingStatus(reading) ??
    byMentionedName(reading, isValidation) ??
    byName('vague', reading.names) ??
    byStatus(reading);
  return { ...decided, window };
}

type Decided = { readonly meaning: Meaning; readonly rule: string };

// A scanner for all rules and windows at once, built on first use: most programs never see an error.
let scanner: PhraseScanner | undefined;
const PHRASES: readonly string[] = [
  ...new Set([
    ...TEXT_RULES.flatMap((rule) => [...rule.phrases, ...(rule.together ?? [])]),
    ...SHORT_PHRASES,
    ...LONG_PHRASES,
  ]),
];
const PHRASE_INDEX: ReadonlyMap<string, number> = new Map(
  PHRASES.map((phrase, index) => [phrase, index] as const),
);

function scan(text: string): Uint8Array {
  scanner ??= createPhraseScanner(PHRASES);
  return scanner.scan(text);
}

/** What a text says itself: a phrase that stands in quotes as a whole is somebody else's. */
function scanOwnWords(text: string): Uint8Array {
  const said = scan(text);
  const { outside, inside } = splitQuotes(text);
  if (inside === '') return said;
  const own = scan(outside);
  const quoted = scan(inside);
  return said.map((hit, index) => (quoted[index] === 1 && own[index] === 0 ? 0 : hit));
}

function indexOfPhrase(phrase: string): number {
  return PHRASE_INDEX.get(phrase) ?? -1;
}

/** What a model says when it is done, handed over as if it were an error: it may mention any of them. */
function isProse({ text, status, names }: Reading): boolean {
  if (status !== undefined || names.some((name) => name !== '')) return false;
  return /^(?:done|sure|let['’]s|let me|i['’]ve|i['’]ll|i (?:added|fixed|updated)|here(?:['’]s| is))\b/i.test(
    text,
  );
}

const VALIDATION_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 406, 409, 415, 422]);

function readsAsValidation({ status, names }: Reading): boolean {
  if (status !== undefined) return VALIDATION_STATUSES.has(status);
  return names.some((name) => meaningOfName('vague', name) === 'invalid');
}

function bySubscription({ headers, status }: Reading): Decided | undefined {
  const isPossible = status === undefined || status === 429 || status < 400;
  if (!isPossible || !isSubscriptionRejected(headers)) return undefined;
  return { meaning: 'quota', rule: 'header: subscription limit rejected' };
}

function byOutcome({ outcomes }: Reading): Decided | undefined {
  const refusal = outcomes.find(isRefusal);
  return refusal === undefined ? undefined : { meaning: 'policy', rule: 'outcome: refused' };
}

// Where several names are given the more telling one decides: `type: invalid_request_error, code: …`.
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
  'slow',
  'lost',
  'invalid',
  'failed',
];

function byName(trust: NameTrust, names: readonly string[]): Decided | undefined {
  let best: Decided | undefined;
  for (const name of names) {
    const meaning = meaningOfName(trust, name);
    if (meaning === undefined) continue;
    const isBetter = best === undefined || TELLING.indexOf(meaning) < TELLING.indexOf(best.meaning);
    if (isBetter) best = { meaning, rule: `name: ${name}` };
  }
  return best;
}

/**
 * Exceptions are often printed with their class or code: `openai.BadRequestError: …`, `read ENETRESET`,
 * `permission_error: …`. A validation failure may name anything, so only classes that are firm count there.
 */
function byMentionedName({ text }: Reading, isValidation: boolean): Decided | undefined {
  const opening = text.slice(0, 300);
  if (isValidation) return byName('firm', namesIn(splitQuotes(opening).outside, CLASS_NAME));
  const names = namesIn(opening, ANY_NAME);
  return byName('firm', names) ?? byName('loose', names) ?? byName('vague', names);
}

const CLASS_NAME = /\b[A-Z][A-Za-z]{2,40}(?:Error|Exception|Timeout)\b/g;
const ANY_NAME =
  /\b(?:[A-Z][A-Z0-9_]{4,50}|[a-z]{2,20}(?:_[a-z]{2,20}){1,5}|[A-Za-z]{3,40}(?:Error|Exception|Timeout))\b/g;

function namesIn(text: string, pattern: RegExp): string[] {
  return (text.match(pattern) ?? []).map(plainName);
}

function byText(said: Uint8Array, isBelieved: (rule: TextRule) => boolean): Decided | undefined {
  for (const rule of TEXT_RULES) {
    if (!isBelieved(rule)) continue;
    const phrase = firstSaid(rule.phrases, said);
    const partner = rule.together === undefined ? '' : firstSaid(rule.together, said);
    if (phrase === undefined || partner === undefined) continue;
    return { meaning: rule.meaning, rule: `text: ${phrase}${partner && ` … ${partner}`}` };
  }
  return undefined;
}

function firstSaid(phrases: readonly string[], said: Uint8Array): string | undefined {
  return phrases.find((phrase) => said[indexOfPhrase(phrase)] === 1);
}

/** Who answers 429 talks about capacity; that the prompt could be shorter is advice then. */
function byCapacityText({ status }: Reading, said: Uint8Array): Decided | undefined {
  if (status !== 429) return undefined;
  return byText(said, ({ meaning }) => CAPACITY.has(meaning));
}

function byBelievedText({ status }: Reading, said: Uint8Array, isValidation: boolean) {
  const isBare = status === undefined || status < 400;
  const isRefusal = status === 402 || status === 403 || status === 429;
  return byText(said, ({ reach }) => {
    if (reach === 'always') return true;
    if (isValidation) return false;
    return reach === 'open' || (reach === 'bare' ? isBare : isRefusal);
  });
}

const CAPACITY: ReadonlySet<Meaning> = new Set([
  'quota',
  'limit',
  'throttle',
  'overloaded',
  'too_large',
]);

function byTellingStatus(reading: Reading): Decided | undefined {
  const { status } = reading;
  return status !== undefined && isTelling(status) ? byStatus(reading) : undefined;
}

function byStatus({ status }: Reading): Decided {
  if (status === undefined) return { meaning: 'unknown', rule: 'nothing recognised' };
  return { meaning: meaningOfStatus(status), rule: `status: ${status}` };
}
