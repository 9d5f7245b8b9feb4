// What the text of a failure means, by the first rule of the table that is believed in its situation.

import type { Decided } from './meaning-by-name.ts';
import type { Meaning } from './meanings.ts';
import type { SaidPhrases } from './said-phrases.ts';
import { TEXT_RULES, type TextRule } from './text-rules.ts';

export type Situation = {
  readonly status: number | undefined;
  /** The provider complains about the request, so its text quotes the caller. */
  readonly isValidation: boolean;
};

export function byText(said: SaidPhrases, situation: Situation): Decided | undefined {
  const found = firstRule(said, ({ reach }) => isInReach(reach, situation));
  // Who answers 429, or without a status speaks of a limit and ends with advice, talks about capacity: that
  // the prompt could be shorter would only make room sooner.
  const { status } = situation;
  const isPerhapsAdvice = status === 429 || (status === undefined && isAdvice(found));
  const aboutCapacity = isPerhapsAdvice
    ? firstRule(said, ({ meaning }) => CAPACITY.has(meaning))
    : undefined;
  return aboutCapacity ?? found;
}

function isAdvice(found: Decided | undefined): boolean {
  return found?.meaning === 'too_long' && /^text: (?:reduce|shorten|shorter) /.test(found.rule);
}

const CAPACITY: ReadonlySet<Meaning> = new Set([
  'quota',
  'limit',
  'throttle',
  'overloaded',
  'too_large',
]);

/** A few phrases are said and many are known: the table is entered from the phrases. */
const RULES_BY_PHRASE: ReadonlyMap<string, readonly number[]> = indexRules();

function indexRules(): Map<string, number[]> {
  const index = new Map<string, number[]>();
  TEXT_RULES.forEach((rule, position) => {
    for (const phrase of rule.phrases) {
      const positions = index.get(phrase) ?? [];
      positions.push(position);
      index.set(phrase, positions);
    }
  });
  return index;
}

function firstRule(
  said: SaidPhrases,
  isBelieved: (rule: TextRule) => boolean,
): Decided | undefined {
  let first = TEXT_RULES.length;
  let saidPhrase = '';
  for (const phrase of said.list) {
    for (const position of RULES_BY_PHRASE.get(phrase) ?? NO_RULES) {
      const rule = TEXT_RULES[position];
      if (position >= first || rule === undefined || !isBelieved(rule) || !holds(rule, said))
        continue;
      first = position;
      saidPhrase = phrase;
    }
  }
  const rule = TEXT_RULES[first];
  return rule === undefined ? undefined : { meaning: rule.meaning, rule: `text: ${saidPhrase}` };
}

const NO_RULES: readonly number[] = [];

function isInReach(reach: TextRule['reach'], { status, isValidation }: Situation): boolean {
  if (reach === 'always') return true;
  if (isValidation) return false;
  if (reach === 'bare') return status === undefined || status < 400;
  return reach === 'open' || status === 402 || status === 403 || status === 429;
}

function holds(rule: TextRule, said: SaidPhrases): boolean {
  return rule.together === undefined || rule.together.some((phrase) => said.has(phrase));
}
