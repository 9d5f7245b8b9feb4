// Every phrase the mapping listens for, each with all that is known of it: the rules it fulfils, the rules it is the
// second half of, the window it names, whether a wait may stand behind it. So a phrase that is heard needs no
// looking up.

import type { Decided, Meaning } from '../meanings.ts';
import { LONG_PHRASES, SHORT_PHRASES } from '../waits/quota-window.ts';
import { WAIT_WORDS } from '../waits/text-wait.ts';
import { TEXT_RULES, type TextRule } from './text-rules.ts';

export type Phrase = {
  readonly text: string;
  /** The rules that have it as their phrase, in the order of the table. */
  readonly rules: readonly SpokenRule[];
  /** The rules that have it in `together`, a bit for each. */
  readonly completes: number;
  readonly isShortWindow: boolean;
  readonly isLongWindow: boolean;
  /** A wait may be stated behind it. */
  readonly isLocated: boolean;
};

/** A rule as one of its phrases fulfils it. */
export type SpokenRule = {
  /** Its place in the table: the lowest decides. */
  readonly order: number;
  /** Where it is believed and what it speaks of, out of BELIEF. */
  readonly belief: number;
  /** Its bit, where another phrase has to be said as well; else 0. */
  readonly needs: number;
  readonly decided: Decided;
  /** That the request could be shorter: perhaps a complaint, perhaps only advice. */
  readonly isAdvice: boolean;
};

/** How far a rule is believed, and whether it speaks of capacity, as bits that a question can combine. */
export const BELIEF = { always: 1, open: 2, refused: 4, bare: 8, capacity: 16 } as const;

export function createPhraseBook(): readonly Phrase[] {
  const drafts = new Map<string, PhraseDraft>();
  for (const text of [...SHORT_PHRASES, ...LONG_PHRASES, ...WAIT_WORDS]) draftOf(drafts, text);
  let lastBit = 0;
  TEXT_RULES.forEach((rule, order) => {
    const needs = rule.together === undefined ? 0 : 1 << lastBit++;
    for (const text of rule.phrases) {
      draftOf(drafts, text).rules.push(spoken(rule, { order, needs, text }));
    }
    for (const text of rule.together ?? []) draftOf(drafts, text).completes |= needs;
  });
  if (lastBit > BITS) throw new RangeError('too many rules of two halves for the bits of a number');
  return [...drafts.values()];
}

const BITS = 31;

type PhraseDraft = Phrase & { readonly rules: SpokenRule[]; completes: number };

function draftOf(drafts: Map<string, PhraseDraft>, text: string): PhraseDraft {
  const known = drafts.get(text);
  if (known !== undefined) return known;
  const draft: PhraseDraft = {
    text,
    rules: [],
    completes: 0,
    isShortWindow: SHORT_PHRASES.includes(text),
    isLongWindow: LONG_PHRASES.includes(text),
    isLocated: WAIT_WORDS.includes(text),
  };
  drafts.set(text, draft);
  return draft;
}

function spoken(
  { meaning, reach }: TextRule,
  { order, needs, text }: { order: number; needs: number; text: string },
): SpokenRule {
  return {
    order,
    belief: BELIEF[reach] | (CAPACITY.has(meaning) ? BELIEF.capacity : 0),
    needs,
    decided: { meaning, rule: `text: ${text}` },
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
