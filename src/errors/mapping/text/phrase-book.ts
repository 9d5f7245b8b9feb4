// All phrases that the mapping searches for, each with its rules, the two-part rules it completes, the window
// it names, and whether a wait can follow it. A match needs no further lookup.

import type { Decided, Meaning } from '../meaning/meanings.ts';
import { WAIT_WORDS } from '../waits/in-text.ts';
import { LONG_WINDOW_PHRASES, SHORT_WINDOW_PHRASES } from '../waits/quota-window.ts';
import { TEXT_RULES, type TextRule } from './rules.ts';

export type Phrase = {
  readonly text: string;
  /** The rules that list the phrase, in table order. */
  readonly rules: readonly PhraseRule[];
  /** The rules that list the phrase in `together`, one bit each. */
  readonly completes: number;
  readonly isShortWindow: boolean;
  readonly isLongWindow: boolean;
  /** A wait can follow the phrase. */
  readonly isLocated: boolean;
};

/** A rule, indexed under a phrase. */
export type PhraseRule = {
  /** Position in the table; the lowest decides. */
  readonly order: number;
  /** Where the rule applies and whether it is about capacity, as bits of REACH. */
  readonly reachBits: number;
  /** The rule's bit if it needs a second phrase, else 0. */
  readonly needs: number;
  readonly decided: Decided;
  /** Advises a shorter request: perhaps the complaint itself, perhaps only advice. */
  readonly isAdvice: boolean;
};

/** Where a rule applies, and whether it is about capacity, as combinable bits. */
export const REACH = { always: 1, open: 2, refused: 4, bare: 8, capacity: 16 } as const;

export function createPhraseBook(): readonly Phrase[] {
  const drafts = new Map<string, PhraseDraft>();
  for (const text of [...SHORT_WINDOW_PHRASES, ...LONG_WINDOW_PHRASES, ...WAIT_WORDS])
    draftOf(drafts, text);
  let lastBit = 0;
  TEXT_RULES.forEach((rule, order) => {
    const needs = rule.together === undefined ? 0 : 1 << lastBit++;
    for (const text of rule.phrases) {
      draftOf(drafts, text).rules.push(toPhraseRule(rule, { order, needs, text }));
    }
    for (const text of rule.together ?? []) draftOf(drafts, text).completes |= needs;
  });
  if (lastBit > BITS) throw new RangeError('too many two-part rules for the bits of a number');
  return [...drafts.values()];
}

const BITS = 31;

type PhraseDraft = Phrase & { readonly rules: PhraseRule[]; completes: number };

function draftOf(drafts: Map<string, PhraseDraft>, text: string): PhraseDraft {
  const known = drafts.get(text);
  if (known !== undefined) return known;
  const draft: PhraseDraft = {
    text,
    rules: [],
    completes: 0,
    isShortWindow: SHORT_WINDOW_PHRASES.includes(text),
    isLongWindow: LONG_WINDOW_PHRASES.includes(text),
    isLocated: WAIT_WORDS.includes(text),
  };
  drafts.set(text, draft);
  return draft;
}

/** The name of a rule that a phrase decided by. */
export function ruleOf(phrase: string): string {
  return `text: ${phrase}`;
}

function toPhraseRule(
  { meaning, reach, isAboutCapacity = CAPACITY.has(meaning) }: TextRule,
  { order, needs, text }: { order: number; needs: number; text: string },
): PhraseRule {
  return {
    order,
    reachBits: REACH[reach] | (isAboutCapacity ? REACH.capacity : 0),
    needs,
    decided: { meaning, rule: ruleOf(text) },
    isAdvice: meaning === 'too_long' && ADVICE.test(text),
  };
}

const ADVICE = /^(?:reduce|shorten|shorter) /;

const CAPACITY: ReadonlySet<Meaning> = new Set([
  'quota',
  'limit',
  'throttle',
  'overloaded',
  'too_large',
]);
